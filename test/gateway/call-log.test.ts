import { describe, expect, test } from 'vitest';
import type { CallReport } from '../../src/telemetry/call-log.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const DEBUG = { REST_DEBUG: 'true' };

/** Asks for the calls along with the answer; times, which differ, are left out. */
async function callsOf(
  gateway: TestGateway,
  query: string,
  options: { token?: string } = {},
) {
  const { extensions } = await gateway.ask(query, {
    ...options,
    extensions: { rest: true },
  });
  const reports: CallReport[] = extensions.rest;
  return reports.map(({ startMs: _start, durationMs: _duration, ...report }) => report);
}

const ONCE = { outcome: 200, shared: false, retries: 0 };
const bytesOf = (body: unknown) => JSON.stringify(body).length;

describe('an operation that asks for its calls', () => {
  test('is told each, when, how long and how large it was, and for which field', async () => {
    const page = wirePage([wireMessage('m1')]);
    await using upstream = await startUpstream({
      'GET /v1/conversations/c1': answering({
        body: wireConversation('c1'),
        delayMs: 40,
      }),
      'GET /v1/messages': answering({ body: page, delayMs: 60 }),
    });
    await using gateway = await startTestGateway(upstream.url, DEBUG);

    const { extensions } = await gateway.ask(
      '{ conversation(id: "c1") { isMuted messages(first: 3) { nodes { id } } } }',
      { extensions: { rest: true } },
    );

    const [first, second]: CallReport[] = extensions.rest;
    expect(first).toEqual({
      ...ONCE,
      call: 'GET /v1/conversations/c1',
      startMs: expect.any(Number),
      durationMs: expect.any(Number),
      bytes: bytesOf(wireConversation('c1')),
      fields: ['conversation'],
    });
    expect(second).toEqual({
      ...ONCE,
      call: 'GET /v1/messages?conversation_id=c1&limit=3',
      startMs: expect.any(Number),
      durationMs: expect.any(Number),
      bytes: bytesOf(page),
      fields: ['conversation.messages'],
    });
    expect(extensions.rest).toHaveLength(2);
    expect(first?.durationMs).toBeGreaterThanOrEqual(39);
    expect(second?.durationMs).toBeGreaterThanOrEqual(59);
    expect(second?.startMs).toBeGreaterThanOrEqual(39);
  });

  test('learns of all fields that wanted the same call, also those that came later', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': wireMessage('m1'),
      'GET /v1/conversations/c1': wireConversation('c1', { pinned_message_id: 'm1' }),
      'GET /v1/messages': wirePage([wireMessage('m2'), wireMessage('m3')]),
    });
    await using gateway = await startTestGateway(upstream.url, DEBUG);

    const calls = await callsOf(
      gateway,
      `{ one: message(id: "m1") { message }
         two: message(id: "m1") { conversation { isMuted pinnedMessage { message } } }
         list: messages { nodes { conversation { isMuted } } }
         again: messages { nodes { id } } }`,
    );

    expect(calls.map(({ call, fields }) => [call, fields.toSorted()])).toEqual([
      ['GET /v1/messages?limit=10', ['again', 'list']],
      ['GET /v1/messages/m1', ['one', 'two', 'two.conversation.pinnedMessage']],
      [
        'GET /v1/conversations/c1',
        ['list.nodes.0.conversation', 'list.nodes.1.conversation', 'two.conversation'],
      ],
    ]);
    expect(upstream.calls).toHaveLength(3);
  });

  test('sees the calls of a page that needs several under the same field', async () => {
    const items = Array.from({ length: 250 }, (_, index) => wireMessage(`m${index}`));
    await using upstream = await startUpstream(({ line }) => {
      const limit = Number(
        new URL(line.slice(4), 'http://upstream').searchParams.get('limit'),
      );
      const given = Math.min(limit, 250);
      return { body: wirePage(items.slice(0, given), given < 250) };
    });
    await using gateway = await startTestGateway(upstream.url, DEBUG);

    const calls = await callsOf(gateway, '{ end: messages(last: 3) { nodes { id } } }');

    expect(calls.length).toBeGreaterThan(1);
    expect(new Set(calls.flatMap(({ fields }) => fields))).toEqual(new Set(['end']));
    expect(calls).toHaveLength(upstream.calls.length);
  });

  test('sees what was shared with another operation, and what was made again', async () => {
    const message = wireMessage('m1');
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': [
        answering({ status: 503, delayMs: 50 }),
        answering({ body: message, delayMs: 50 }),
      ],
    });
    await using gateway = await startTestGateway(upstream.url, DEBUG);

    const [[own], [joined]] = await Promise.all([
      callsOf(gateway, '{ message(id: "m1") { message } }'),
      callsOf(gateway, '{ other: message(id: "m1") { message } }'),
    ]);

    const both = {
      ...ONCE,
      call: 'GET /v1/messages/m1',
      bytes: bytesOf(message),
      retries: 1,
    };
    expect([own, joined]).toEqual([
      { ...both, fields: ['message'] },
      { ...both, fields: ['other'], shared: true },
    ]);
    expect(upstream.calls).toHaveLength(2);
  });

  test('sees writes, each under its own field, and reads made anew after them', async () => {
    await using upstream = await startUpstream({
      'PUT /v1/messages/m1': wireMessage('m1'),
      'GET /v1/conversations/c1': wireConversation('c1'),
      'DELETE /v1/messages/m1': answering({ status: 204 }),
    });
    await using gateway = await startTestGateway(upstream.url, DEBUG);

    const calls = await callsOf(
      gateway,
      `mutation {
        a: updateMessage(input: { id: "m1", message: "x" }) { message { conversation { isMuted } } }
        b: updateMessage(input: { id: "m1", message: "x" }) { message { conversation { isMuted } } }
        c: deleteMessage(input: { id: "m1" }) { deletedMessageId }
      }`,
    );

    expect(calls.map(({ call, outcome, fields }) => [call, outcome, fields])).toEqual([
      ['PUT /v1/messages/m1', 200, ['a']],
      ['GET /v1/conversations/c1', 200, ['a.message.conversation']],
      ['PUT /v1/messages/m1', 200, ['b']],
      ['GET /v1/conversations/c1', 200, ['b.message.conversation']],
      ['DELETE /v1/messages/m1', 204, ['c']],
    ]);
  });

  test('learns how calls failed', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/refused': answering({ status: 403, body: 'no' }),
      'GET /v1/messages/unknown': answering({ status: 404 }),
      'GET /v1/messages/broken': answering({ broken: 'before' }),
      'GET /v1/messages/junk': 'junk',
      'GET /v1/messages/slow': answering({ delayMs: 5000 }),
    });
    await using gateway = await startTestGateway(upstream.url, {
      ...DEBUG,
      REST_RETRIES: '1',
      REST_TIMEOUT_MS: '300',
    });

    const calls = await callsOf(
      gateway,
      `{ a: message(id: "refused") { id message } b: message(id: "unknown") { message }
         c: message(id: "broken") { message } d: message(id: "junk") { message }
         e: message(id: "slow") { message } f: message(id: "..") { message } }`,
    );

    expect(
      calls.map(({ fields, outcome, bytes, retries }) => [
        fields,
        outcome,
        bytes,
        retries,
      ]),
    ).toEqual([
      [['a'], 403, 2, 0],
      [['b'], 404, 0, 0],
      [['c'], 'unreachable', 0, 1],
      [['d'], 'invalid', 4, 0],
      [['e'], 'timeout', 0, 0],
    ]);
  });

  test('learns what its own deadline cut off, and what was not made', async () => {
    await using upstream = await startUpstream(() => ({ delayMs: 5000 }));
    await using gateway = await startTestGateway(upstream.url, {
      ...DEBUG,
      OPERATION_TIMEOUT_MS: '200',
      REST_CONNECTIONS: '1',
      REST_QUEUE: '0',
    });

    const calls = await callsOf(
      gateway,
      '{ a: message(id: "m1") { message } b: message(id: "m2") { message } }',
    );

    expect(calls.map(({ fields, outcome }) => [fields, outcome])).toEqual([
      [['a'], 'timeout'],
      [['b'], 'overloaded'],
    ]);
    expect(upstream.calls).toHaveLength(1);
  });

  test('is not told of calls that its deadline kept from being begun', async () => {
    await using upstream = await startUpstream(() => ({
      body: wireMessage('m1'),
      delayMs: 200,
    }));
    await using gateway = await startTestGateway(upstream.url, {
      ...DEBUG,
      OPERATION_TIMEOUT_MS: '500',
    });
    const writes = Array.from(
      { length: 10 },
      (_, index) => `w${index}: deleteMessage(input: { id: "m1" }) { deletedMessageId }`,
    );

    const calls = await callsOf(gateway, `mutation { ${writes.join(' ')} }`);

    expect(calls.length).toBeGreaterThan(0);
    expect(calls.length).toBeLessThan(10);
    // The last of them may have been cut off before it arrived.
    expect([calls.length, calls.length - 1]).toContain(upstream.calls.length);
  });

  test('is not told the token, even where an id holds it', async () => {
    await using upstream = await startUpstream({});
    await using gateway = await startTestGateway(upstream.url, DEBUG);

    const [report] = await callsOf(
      gateway,
      '{ message(id: "before-secret-token/after") { message } }',
      { token: 'secret-token' },
    );

    expect(report?.call).toMatch(/^GET \/v1\/messages\/before-.*after$/);
    expect(report?.call).not.toContain('secret-token');
  });

  test('may ask in a header, beside its price', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': wireMessage('m1'),
    });
    await using gateway = await startTestGateway(upstream.url, DEBUG);

    const { extensions } = await gateway.ask('{ message(id: "m1") { message } }', {
      headers: { 'x-extensions': 'cost, rest' },
    });

    expect(extensions).toEqual({
      cost: { estimated: 1, actual: 1, limit: 250 },
      rest: [expect.objectContaining({ call: 'GET /v1/messages/m1' })],
    });
  });

  test('gets nothing unless the gateway is set to tell', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': wireMessage('m1'),
    });
    await using gateway = await startTestGateway(upstream.url);

    const answer = await gateway.ask('{ message(id: "m1") { message } }', {
      extensions: { rest: true },
      headers: { 'x-extensions': 'rest' },
    });

    expect(answer.data).toEqual({ message: { message: 'text m1' } });
    expect(answer.extensions).toBeUndefined();
  });
});

test('an operation that does not ask for its calls is not told', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1'),
  });
  await using gateway = await startTestGateway(upstream.url, DEBUG);

  const answer = await gateway.ask('{ message(id: "m1") { message } }');

  expect(answer.data).toEqual({ message: { message: 'text m1' } });
  expect(answer.extensions).toBeUndefined();
});
