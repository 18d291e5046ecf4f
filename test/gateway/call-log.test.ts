import { describe, expect, test } from 'vitest';
import type { CallReport } from '../../src/telemetry/call-log.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { NOWHERE } from '../support/http.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const DEBUG = { REST_DEBUG: 'true' };
const ASKED = { extensions: { rest: true } };
const MESSAGE = '{ message(id: "m1") { message } }';
const SERVICE = { 'GET /v1/messages/m1': wireMessage('m1') };

/** Runs an operation and returns its log of calls. */
async function callsOf(
  gateway: TestGateway,
  query: string,
  token = 'ann-token',
): Promise<CallReport[]> {
  const { extensions } = await gateway.ask(query, { token, ...ASKED });
  return extensions.rest;
}

const SUCCESS = {
  outcome: 200,
  shared: false,
  retries: 0,
  startMs: expect.any(Number),
  durationMs: expect.any(Number),
};
const bytesOf = (body: unknown) => JSON.stringify(body).length;

describe('the call log of an operation', () => {
  test('has the time, duration, size and field of each call', async () => {
    const conversation = wireConversation('c1');
    const page = wirePage([wireMessage('m1')]);
    await using upstream = await startUpstream({
      'GET /v1/conversations/c1': answering({ body: conversation, delayMs: 40 }),
      'GET /v1/messages': answering({ body: page, delayMs: 60 }),
    });
    await using gateway = await startTestGateway(upstream.url, DEBUG);

    const calls = await callsOf(
      gateway,
      '{ conversation(id: "c1") { isMuted messages(first: 3) { nodes { id } } } }',
    );

    expect(calls).toEqual([
      {
        ...SUCCESS,
        call: 'GET /v1/conversations/c1',
        bytes: bytesOf(conversation),
        fields: ['conversation'],
      },
      {
        ...SUCCESS,
        call: 'GET /v1/messages?conversation_id=c1&limit=3',
        bytes: bytesOf(page),
        fields: ['conversation.messages'],
      },
    ]);
    const [first, second] = calls;
    expect(first?.durationMs).toBeGreaterThanOrEqual(39);
    expect(second?.durationMs).toBeGreaterThanOrEqual(59);
    expect(second?.startMs).toBeGreaterThanOrEqual(39);
  });

  test('names every field that used a call, also those that asked for it later', async () => {
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

  test('has all calls of a page that needs several, under its field', async () => {
    const items = Array.from({ length: 250 }, (_, index) => wireMessage(`m${index}`));
    await using upstream = await startUpstream(({ line }) => {
      const limit = Number(new URLSearchParams(line.split('?')[1]).get('limit'));
      return { body: wirePage(items.slice(0, limit), limit < items.length) };
    });
    await using gateway = await startTestGateway(upstream.url, DEBUG);

    const calls = await callsOf(gateway, '{ end: messages(last: 3) { nodes { id } } }');

    expect(calls.length).toBeGreaterThan(1);
    expect(new Set(calls.flatMap(({ fields }) => fields))).toEqual(new Set(['end']));
    expect(calls).toHaveLength(upstream.calls.length);
  });

  test('marks a call shared with another operation, and counts retries', async () => {
    const message = wireMessage('m1');
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': [
        answering({ status: 503, delayMs: 50 }),
        answering({ body: message, delayMs: 50 }),
      ],
    });
    await using gateway = await startTestGateway(upstream.url, DEBUG);

    const [own, joined] = await Promise.all([
      callsOf(gateway, MESSAGE),
      callsOf(gateway, '{ other: message(id: "m1") { message } }'),
    ]);

    const both = {
      ...SUCCESS,
      call: 'GET /v1/messages/m1',
      bytes: bytesOf(message),
      retries: 1,
    };
    expect(own).toEqual([{ ...both, fields: ['message'] }]);
    expect(joined).toEqual([{ ...both, fields: ['other'], shared: true }]);
    expect(upstream.calls).toHaveLength(2);
  });

  test('has each write, and each read repeated after a write, under its own field', async () => {
    await using upstream = await startUpstream({
      'PUT /v1/messages/m1': wireMessage('m1'),
      'GET /v1/conversations/c1': wireConversation('c1'),
      'DELETE /v1/messages/m1': answering({ status: 204 }),
    });
    await using gateway = await startTestGateway(upstream.url, DEBUG);
    const update =
      'updateMessage(input: { id: "m1", message: "x" }) { message { conversation { isMuted } } }';

    const calls = await callsOf(
      gateway,
      `mutation {
        a: ${update}
        b: ${update}
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

  test('says how calls failed', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/refused': answering({ status: 403, body: 'no' }),
      'GET /v1/messages/unknown': answering({ status: 404 }),
      'GET /v1/messages/broken': answering({ broken: 'before' }),
      'GET /v1/messages/junk': 'junk',
      'GET /v1/messages/slow': answering({ delayMs: 60_000 }),
    });
    await using gateway = await startTestGateway(upstream.url, {
      ...DEBUG,
      REST_RETRIES: '1',
      REST_TIMEOUT_MS: '3000',
    });

    const calls = await callsOf(
      gateway,
      `{ a: message(id: "refused") { id message } b: message(id: "unknown") { message }
         c: message(id: "broken") { message } d: message(id: "junk") { message }
         e: message(id: "slow") { message } f: message(id: "..") { message } }`,
    );

    const failures = calls.map((call) => [
      call.fields,
      call.outcome,
      call.bytes,
      call.retries,
    ]);
    expect(failures).toEqual([
      [['a'], 403, 2, 0],
      [['b'], 404, 0, 0],
      [['c'], 'unreachable', 0, 1],
      [['d'], 'invalid', 4, 0],
      [['e'], 'timeout', 0, 0],
    ]);
  });

  test('says which call the deadline cut off, and which was never sent', async () => {
    await using upstream = await startUpstream(() => ({ delayMs: 60_000 }));
    await using gateway = await startTestGateway(upstream.url, {
      ...DEBUG,
      OPERATION_TIMEOUT_MS: '3000',
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

  test('never contains the token, even if an id does', async () => {
    await using upstream = await startUpstream({});
    await using gateway = await startTestGateway(upstream.url, DEBUG);

    const [report] = await callsOf(
      gateway,
      '{ message(id: "before-secret-token/after") { message } }',
      'secret-token',
    );

    expect(report?.call).toMatch(/^GET \/v1\/messages\/before-.*after$/);
    expect(report?.call).not.toContain('secret-token');
  });

  test('can be requested in a header, together with the cost', async () => {
    await using upstream = await startUpstream(SERVICE);
    await using gateway = await startTestGateway(upstream.url, DEBUG);

    const { extensions } = await gateway.ask(MESSAGE, {
      headers: { 'x-extensions': 'cost, rest' },
    });

    expect(extensions).toEqual({
      cost: { estimated: 1, actual: 1, limit: 250 },
      rest: [expect.objectContaining({ call: 'GET /v1/messages/m1' })],
    });
  });

  test.each([
    ['REST_DEBUG is not set', {}, { ...ASKED, headers: { 'x-extensions': 'rest' } }],
    ['the client did not ask', DEBUG, {}],
  ])(
    'is left out unless REST_DEBUG is set and the client asks: %s',
    async (_when, env, options) => {
      await using upstream = await startUpstream(SERVICE);
      await using gateway = await startTestGateway(upstream.url, env);

      const answer = await gateway.ask(MESSAGE, options);

      expect(answer.data).toEqual({ message: { message: 'text m1' } });
      expect(answer.extensions).toBeUndefined();
    },
  );

  test('leaves introspection alone, here and in other gateways of the process', async () => {
    await using debugging = await startTestGateway(NOWHERE, DEBUG);
    await using other = await startTestGateway(NOWHERE);
    const query = '{ __schema { queryType { name } } __type(name: "Message") { kind } }';

    const answers = await Promise.all([debugging.ask(query), other.ask(query)]);

    const data = {
      __schema: { queryType: { name: 'Query' } },
      __type: { kind: 'OBJECT' },
    };
    expect(answers.map((answer) => answer.data)).toEqual([data, data]);
  });
});
