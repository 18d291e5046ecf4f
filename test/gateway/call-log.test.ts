import { describe, expect, test } from 'vitest';
import type { CallReport } from '../../src/telemetry/call-log.ts';
import { askOnce, startScripted, startTestGateway } from '../support/gateway.ts';
import { NOWHERE } from '../support/http.ts';
import { answering, type Script } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const DEBUG = { REST_DEBUG: 'true' };
const ASKED = { extensions: { rest: true } };
const MESSAGE = '{ message(id: "m1") { message } }';
const SERVICE = { 'GET /v1/messages/m1': wireMessage('m1') };

/** Runs an operation; `rest` is its log of calls. */
async function log(query: string, script: Script, env: Record<string, string> = {}) {
  const { extensions, calls } = await askOnce(query, script, {
    ...ASKED,
    token: 'secret-token',
    env: { ...DEBUG, ...env },
  });
  return { rest: extensions.rest as CallReport[], calls };
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

    const { rest } = await log(
      '{ conversation(id: "c1") { isMuted messages(first: 3) { nodes { id } } } }',
      {
        'GET /v1/conversations/c1': answering({ body: conversation, delayMs: 40 }),
        'GET /v1/messages': answering({ body: page, delayMs: 60 }),
      },
    );

    expect(rest).toEqual([
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
    const [first, second] = rest;
    expect(first?.durationMs).toBeGreaterThanOrEqual(39);
    expect(second?.durationMs).toBeGreaterThanOrEqual(59);
    expect(second?.startMs).toBeGreaterThanOrEqual(39);
  });

  test('names every field that used a call, also those that asked for it later', async () => {
    const { rest, calls } = await log(
      `{ one: message(id: "m1") { message }
         two: message(id: "m1") { conversation { isMuted pinnedMessage { message } } }
         list: messages { nodes { conversation { isMuted } } }
         again: messages { nodes { id } } }`,
      {
        ...SERVICE,
        'GET /v1/conversations/c1': wireConversation('c1', { pinned_message_id: 'm1' }),
        'GET /v1/messages': wirePage([wireMessage('m2'), wireMessage('m3')]),
      },
    );

    expect(rest.map(({ call, fields }) => [call, fields.toSorted()])).toEqual([
      ['GET /v1/messages?limit=10', ['again', 'list']],
      ['GET /v1/messages/m1', ['one', 'two', 'two.conversation.pinnedMessage']],
      [
        'GET /v1/conversations/c1',
        ['list.nodes.0.conversation', 'list.nodes.1.conversation', 'two.conversation'],
      ],
    ]);
    expect(calls).toHaveLength(3);
  });

  test('has all calls of a page that needs several, under its field', async () => {
    const items = Array.from({ length: 250 }, (_, index) => wireMessage(`m${index}`));

    const { rest, calls } = await log(
      '{ end: messages(last: 3) { nodes { id } } }',
      ({ line }) => {
        const limit = Number(new URLSearchParams(line.split('?')[1]).get('limit'));
        return { body: wirePage(items.slice(0, limit), limit < items.length) };
      },
    );

    expect(rest.length).toBeGreaterThan(1);
    expect(new Set(rest.flatMap(({ fields }) => fields))).toEqual(new Set(['end']));
    expect(rest).toHaveLength(calls.length);
  });

  test('marks a call shared with another operation, and counts retries', async () => {
    const message = wireMessage('m1');
    await using gateway = await startScripted(
      {
        'GET /v1/messages/m1': [
          answering({ status: 503, delayMs: 50 }),
          answering({ body: message, delayMs: 300 }),
        ],
      },
      DEBUG,
    );

    const [own, joined] = await Promise.all([
      gateway.ask(MESSAGE, ASKED),
      gateway.ask('{ other: message(id: "m1") { message } }', ASKED),
    ]);

    const both = {
      ...SUCCESS,
      call: 'GET /v1/messages/m1',
      bytes: bytesOf(message),
      retries: 1,
    };
    expect(own.extensions.rest).toEqual([{ ...both, fields: ['message'] }]);
    expect(joined.extensions.rest).toEqual([
      { ...both, fields: ['other'], shared: true },
    ]);
    expect(gateway.service.calls).toHaveLength(2);
  });

  test('has each write, and each read repeated after a write, under its own field', async () => {
    const update =
      'updateMessage(input: { id: "m1", message: "x" }) { message { conversation { isMuted } } }';

    const { rest } = await log(
      `mutation { a: ${update} b: ${update}
         c: deleteMessage(input: { id: "m1" }) { deletedMessageId } }`,
      {
        'PUT /v1/messages/m1': wireMessage('m1'),
        'GET /v1/conversations/c1': wireConversation('c1'),
        'DELETE /v1/messages/m1': answering({ status: 204 }),
      },
    );

    expect(rest.map(({ call, outcome, fields }) => [call, outcome, fields])).toEqual([
      ['PUT /v1/messages/m1', 200, ['a']],
      ['GET /v1/conversations/c1', 200, ['a.message.conversation']],
      ['PUT /v1/messages/m1', 200, ['b']],
      ['GET /v1/conversations/c1', 200, ['b.message.conversation']],
      ['DELETE /v1/messages/m1', 204, ['c']],
    ]);
  });

  test('says how calls failed', async () => {
    const { rest } = await log(
      `{ a: message(id: "refused") { id message } b: message(id: "unknown") { message }
         c: message(id: "broken") { message } d: message(id: "junk") { message }
         e: message(id: "..") { message } }`,
      {
        'GET /v1/messages/refused': answering({ status: 403, body: 'no' }),
        'GET /v1/messages/unknown': answering({ status: 404 }),
        'GET /v1/messages/broken': answering({ broken: 'before' }),
        'GET /v1/messages/junk': 'junk',
      },
      { REST_RETRIES: '1' },
    );

    const failures = rest.map((call) => [
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
    ]);
  });

  // security: rest-debug
  test('never contains the token, even if an id does', async () => {
    const { rest } = await log(
      '{ message(id: "before-secret-token/after") { message } }',
      {},
    );

    expect(rest[0]?.call).toMatch(/^GET \/v1\/messages\/before-.*after$/);
    expect(rest[0]?.call).not.toContain('secret-token');
  });

  test('can be requested in a header, together with the cost', async () => {
    const { extensions } = await askOnce(MESSAGE, SERVICE, {
      env: DEBUG,
      headers: { 'x-extensions': 'cost, rest' },
    });

    expect(extensions).toEqual({
      cost: { estimated: 1, actual: 1, limit: 250 },
      rest: [expect.objectContaining({ call: 'GET /v1/messages/m1' })],
    });
  });

  // security: rest-debug
  test.each([
    ['REST_DEBUG is not set', {}, { ...ASKED, headers: { 'x-extensions': 'rest' } }],
    ['the client did not ask', DEBUG, {}],
  ])('is left out if %s', async (_, env, options) => {
    const { data, extensions } = await askOnce(MESSAGE, SERVICE, { env, ...options });

    expect(data).toEqual({ message: { message: 'text m1' } });
    expect(extensions).toBeUndefined();
  });

  test('leaves introspection alone, here and in other gateways of the process', async () => {
    await using debugging = await startTestGateway(NOWHERE, DEBUG);
    await using other = await startTestGateway(NOWHERE);
    const query = '{ __schema { queryType { name } } }';

    const answers = await Promise.all([debugging.ask(query), other.ask(query)]);

    const data = { __schema: { queryType: { name: 'Query' } } };
    expect(answers.map((answer) => answer.data)).toEqual([data, data]);
  });
});
