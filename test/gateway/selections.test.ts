import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { NOWHERE } from '../support/http.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

describe('selections of one name', () => {
  test('are merged, nested ones too', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': wireMessage('m1'),
    });
    await using gateway = await startTestGateway(upstream.url);

    const { data, errors } = await gateway.ask(
      `query ($no: Boolean = false) {
        message(id: "m1") { id contact { id } ...F }
        message(id: "m1") { message id contact { username } ...F ...F @include(if: $no) }
        other: message(id: "m1") { id }
      }
      fragment F on Message { createdAt createdAt }`,
    );

    expect(errors).toBeUndefined();
    expect(data).toEqual({
      message: {
        id: 'm1',
        contact: { id: 'u1', username: 'ann' },
        createdAt: 1700000000,
        message: 'text m1',
      },
      other: { id: 'm1' },
    });
    expect(upstream.calls).toHaveLength(1);
  });

  test('keep the order of the document, with fragments between them too', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': wireMessage('m1'),
    });
    await using gateway = await startTestGateway(upstream.url);

    const { data } = await gateway.ask(
      `query ($yes: Boolean = true) {
         a: message(id: "m1") { id }
         ...F
         a: message(id: "m1") { readAt }
         a: message(id: "m1") @include(if: $yes) { createdAt }
         a: message(id: "m1") { updatedAt }
       }
       fragment F on Query { a: message(id: "m1") { message } }`,
    );

    expect(Object.keys(data.a)).toEqual([
      'id',
      'message',
      'readAt',
      'createdAt',
      'updatedAt',
    ]);
  });

  test('are refused if they conflict', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    const { errors } = await gateway.ask(
      '{ a: message(id: "1") { id } a: message(id: "2") { id } }',
    );

    expect(errors?.[0]?.message).toContain('conflict');
  });
});
