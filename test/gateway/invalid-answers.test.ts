import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createScripted, keepLines } from '../library/support.ts';
import { askOnce, codes, startScripted } from '../support/gateway.ts';
import { answering } from '../support/upstream.ts';
import { wireContact, wireMessage, wirePage } from '../support/wire.ts';

const READ = '{ message(id: "m1") { id attachments reactions { name } } }';
const ask = (body: unknown, query = READ) => askOnce(query, answering({ body }));

/** A message whose one attachment is exactly this JSON. */
const withAttachment = (json: string): string =>
  JSON.stringify(wireMessage('m1', { attachments: ['@'] })).replace('"@"', json);

describe('an answer that breaks the interface', () => {
  test.each([
    ['text', 'oops'],
    ['nothing', ''],
    ['a list', []],
    ['null', 'null'],
    ['an id that is a number', wireMessage('m1', { id: 7 })],
    ['an id that is not well-formed Unicode', wireMessage('m1', { id: 'a\ud800' })],
    ['a missing text', wireMessage('m1', { message: undefined })],
    ['null for a contact', wireMessage('m1', { contact: null })],
    [
      'a phone number that is a number',
      wireMessage('m1', { contact: wireContact({ phone_number: 1 }) }),
    ],
    ['reactions as an object', wireMessage('m1', { reactions: { heart: ['ann'] } })],
    ['usernames as numbers', wireMessage('m1', { reactions: [{ heart: [1] }] })],
    ['attachments that are null', wireMessage('m1', { attachments: null })],
    ['an attachment that is null', wireMessage('m1', { attachments: [{ a: 1 }, null] })],
    [
      'an attachment nested too deep to serialize',
      withAttachment('['.repeat(20_000) + ']'.repeat(20_000)),
    ],
    ['an attachment with an infinite number', withAttachment('{"a":[-1e400]}')],
    ['a date as text', wireMessage('m1', { created_at: '2026-01-01' })],
    ['a fraction of a second', wireMessage('m1', { read_at: 1.5 })],
    ['an integer above 2^53-1', '{"id":"m1","created_at":9007199254740993}'],
  ])('is UPSTREAM_INVALID_RESPONSE: %s', async (_, body) => {
    const { data, error, errors } = await ask(body);

    expect(data).toEqual({ message: null });
    expect(errors).toHaveLength(1);
    expect(error?.extensions).toEqual({ code: 'UPSTREAM_INVALID_RESPONSE' });
    expect(error?.message).toMatch(/^GET \/v1\/messages\/:id answered /);
  });

  test.each([
    ['no has_more', { data: [] }],
    ['has_more as text', { has_more: 'no', data: [] }],
    ['data that is an object', { has_more: false, data: {} }],
    ['a bare list', [wireMessage('m1')]],
  ])('is UPSTREAM_INVALID_RESPONSE for a list: %s', async (_, body) => {
    const { data, codes } = await ask(body, '{ messages { nodes { id } } }');

    expect(data).toEqual({ messages: null });
    expect(codes).toEqual({ messages: 'UPSTREAM_INVALID_RESPONSE' });
  });

  test('in one item makes only that item null, in edges and nodes, each with a cursor', async () => {
    const body = wirePage([
      wireMessage('m1'),
      wireMessage('m2', { created_at: 'x' }),
      'junk',
      wireMessage('m4', { id: 4 }),
      wireMessage('m5'),
    ]);

    const { data, codes } = await ask(
      body,
      '{ messages { nodes { id } edges { cursor node { id } } } }',
    );

    const nodes = [{ id: 'm1' }, null, null, null, { id: 'm5' }];
    const edges: { node: unknown; cursor: string }[] = data.messages.edges;
    expect(data.messages.nodes).toEqual(nodes);
    expect(edges.map(({ node }) => node)).toEqual(nodes);
    expect(new Set(edges.map(({ cursor }) => cursor)).size).toBe(5);
    expect(codes).toEqual(
      Object.fromEntries(
        [1, 2, 3].flatMap((i) => [
          [`messages.nodes.${i}`, 'UPSTREAM_INVALID_RESPONSE'],
          [`messages.edges.${i}.node`, 'UPSTREAM_INVALID_RESPONSE'],
        ]),
      ),
    );
  });

  test.each([
    { reactions: [{ heart: [1] }] },
    { reactions: null },
    { attachments: [null] },
    { attachments: undefined },
  ])('in a field that is not selected fails nothing: %j', async (change) => {
    const { data, errors } = await ask(
      wirePage([wireMessage('m1', change), wireMessage('m2')]),
      '{ messages { nodes { id message contact { id } } } }',
    );

    expect(errors).toBeUndefined();
    expect(data.messages.nodes).toMatchObject([{ id: 'm1' }, { id: 'm2' }]);
  });

  test('in a field of a written message is an error, and says that the message may be there', async () => {
    const { data, error } = await askOnce(
      'mutation { sendMessage(input: { conversationId: "c1", message: "m" }) { message { id attachments } } }',
      answering({ body: wireMessage('m1', { attachments: 'none' }) }),
    );

    expect(data).toEqual({ sendMessage: { message: null } });
    expect(error).toMatchObject({
      path: ['sendMessage', 'message', 'attachments'],
      extensions: { code: 'UPSTREAM_INVALID_RESPONSE', outcome: 'unknown' },
    });
  });

  const WORD = 'word-of-the-service';

  test.each([
    ['a reaction', { reactions: [{ [WORD]: 1 }] }],
    ['a reacting user', { reactions: [{ heart: [{ [WORD]: WORD }] }] }],
    ['an attachment', { attachments: [{ [WORD]: WORD }, null] }],
    ['a contact', { contact: wireContact({ username: [WORD], [WORD]: 1 }) }],
    ['a timestamp', { created_at: WORD }],
    ['an id', { id: `${WORD}\ud800` }],
    ['a long name', { reactions: [{ [WORD.repeat(5000)]: 1 }] }],
  ])('gets a short error without words of the service: %s', async (_, change) => {
    const { error } = await ask(wireMessage('m1', change));

    expect(error?.message).toMatch(
      /^GET \/v1\/messages\/:id answered with invalid data: /,
    );
    expect(error?.message.length).toBeLessThan(200);
    expect(JSON.stringify(error)).not.toContain(WORD);
  });
});

test('fields that the interface does not name are ignored', async () => {
  const { data, errors } = await ask(wireMessage('m1', { mood: { x: 1 } }));

  expect(errors).toBeUndefined();
  expect(data.message.id).toBe('m1');
});

// security: endless-answer
test('an answer longer than MAX_RESPONSE_BYTES is cut off, and is UPSTREAM_INVALID_RESPONSE', async () => {
  const script = answering({ body: wireMessage('m1', { message: 'x'.repeat(100_000) }) });

  const refused = await askOnce(READ, script, { env: { MAX_RESPONSE_BYTES: '50000' } });
  const accepted = await askOnce(READ, script);

  expect(refused.codes).toEqual({ message: 'UPSTREAM_INVALID_RESPONSE' });
  expect(refused.error?.message).toContain('50000');
  expect(accepted.data.message.id).toBe('m1');
});

describe('an answer that is no valid HTTP', () => {
  const WRITE =
    'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { id } } }';
  const startRaw = (answer: string, isLast = false) => {
    const { lines, logger } = keepLines();
    const write = async ({ socket }: ServerResponse) => {
      socket?.write(`HTTP/1.1 200 OK\r\n${answer}`);
      if (isLast) socket?.end();
    };
    const logged = () => lines.filter(({ method }) => method !== undefined);
    return { logged, gateway: createScripted(answering({ write }), { logger }) };
  };

  const INVALID = 'the answer was not valid HTTP';

  test.each([
    ['OVERFLOW', `A: ${'a'.repeat(20_000)}`, 'the headers of the answer were too long'],
    ['LENGTH_MISMATCH', 'Content-Length: 2\r\nContent-Length: 3', INVALID],
    ['Invalid character in Content-Length', 'Content-Length: two', INVALID],
    ['Invalid character in chunk size', 'Transfer-Encoding: chunked\r\n\r\nzz', INVALID],
  ])('is not asked for again, and the log says why: %s', async (cause, answer, words) => {
    const { logged, gateway: started } = startRaw(`${answer}\r\n\r\n{}`);
    await using gateway = await started;

    const twice = '{ a: message(id: "m1") { id } b: message(id: "m1") { id } }';
    const read = await gateway.execute({ query: twice, token: 'ann-token' });
    const write = await gateway.execute({ query: WRITE, token: 'ann-token' });

    const code = 'UPSTREAM_INVALID_RESPONSE';
    const message = `GET /v1/messages/:id got no readable answer: ${words}`;
    expect(read.errors?.[0]).toMatchObject({ message, extensions: { code } });
    expect(write.errors?.[0]?.extensions).toEqual({ code, outcome: 'unknown' });
    expect(gateway.service.lines()).toEqual([
      'GET /v1/messages/m1',
      'PUT /v1/messages/m1',
    ]);
    const failed = {
      level: 'warn',
      route: '/v1/messages/:id',
      kind: 'invalid',
      cause: expect.stringContaining(cause),
    };
    expect(logged()).toMatchObject([
      { ...failed, method: 'GET', outcomeUnknown: false, msg: message },
      { ...failed, method: 'PUT', outcomeUnknown: true },
    ]);
  });

  // undici reports these as malformed too.
  test.each([
    ['a body', 'Content-Length: 20\r\n\r\n{}'],
    ['chunks', 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n'],
  ])(
    'is no such answer if the last one of a connection breaks off: %s',
    async (_, answer) => {
      const { logged, gateway: started } = startRaw(
        `Connection: close\r\n${answer}`,
        true,
      );
      await using gateway = await started;

      const { errors } = await gateway.execute({ query: READ, token: 'ann-token' });

      expect(errors?.[0]).toMatchObject({
        message: 'GET /v1/messages/:id got no answer: the connection was closed',
        extensions: { code: 'UPSTREAM_UNREACHABLE' },
      });
      expect(gateway.service.lines()).toEqual(Array(3).fill('GET /v1/messages/m1'));
      expect(logged()).toMatchObject([{ kind: 'unreachable', cause: 'UND_ERR_SOCKET' }]);
    },
  );
});

describe('an answer after another one that the service sends before it', () => {
  const DELETE = 'mutation { deleteMessage(input: { id: "m1" }) { deletedMessageId } }';
  const startEarly = (status: number) => {
    const behind = (head: number, text: string) =>
      answering({
        async write(response) {
          response.socket?.write(`HTTP/1.1 ${status} Early\r\nLink: </a>\r\n\r\n`);
          await sleep(20);
          response.writeHead(head).end(text);
        },
      });
    return startScripted({
      'GET /v1/messages/m1': behind(200, JSON.stringify(wireMessage('m1'))),
      'DELETE /v1/messages/m1': behind(204, ''),
    });
  };

  test.each([102, 103, 199])('is read if that one has the status %i', async (status) => {
    await using gateway = await startEarly(status);
    const read = await gateway.ask(READ);
    const write = await gateway.ask(DELETE);

    expect(read.data.message.id).toBe('m1');
    expect(write.data).toEqual({ deleteMessage: { deletedMessageId: 'm1' } });
    expect(gateway.service.calls).toHaveLength(2);
  });

  // undici closes the connection, and has no option that lets it read on.
  test('is lost if that one has the status 100, and a write may have been carried out', async () => {
    await using gateway = await startEarly(100);
    const read = await gateway.ask(READ);
    const write = await gateway.ask(DELETE);

    expect(codes(read)).toEqual({ message: 'UPSTREAM_UNREACHABLE' });
    expect(write.errors?.[0]?.extensions).toEqual({
      code: 'UPSTREAM_UNREACHABLE',
      outcome: 'unknown',
    });
    expect(gateway.service.lines()).toEqual([
      ...Array(3).fill('GET /v1/messages/m1'),
      'DELETE /v1/messages/m1',
    ]);
  });
});
