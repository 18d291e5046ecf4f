import { describe, expect, test } from 'vitest';
import { startScripted, startTestGateway } from '../support/gateway.ts';
import { connectTo, NOWHERE, sendRaw } from '../support/http.ts';
import {
  growingList,
  MESSAGES,
  NO_POLLS,
  openSubscriptions,
  SEND,
} from '../support/live.ts';
import { openSocket } from '../support/socket.ts';
import { wireMessage } from '../support/wire.ts';

const READ = '{ message(id: "m1") { message } }';
const SERVICE = { 'GET /v1/messages/m1': wireMessage('m1') };

describe('over a WebSocket', () => {
  test('a subscription has a message for each event, until its client completes it', async () => {
    await using gateway = await startScripted(growingList(), NO_POLLS);
    using socket = await openSocket(gateway.url);
    socket.subscribe('s', MESSAGES);
    socket.subscribe('q', '{ __typename }');
    expect(await socket.next()).toEqual({
      id: 'q',
      type: 'next',
      payload: { data: { __typename: 'Query' } },
    });
    expect(await socket.next()).toEqual({ id: 'q', type: 'complete' });
    await expect.poll(() => openSubscriptions(gateway)).toBe(1);
    await gateway.ask(SEND.replace('c1', 'conv_lisbon_trip'));

    const event = await socket.next();
    expect(event).toMatchObject({ id: 's', type: 'next' });
    expect(event?.payload.data.messageChanged).toMatchObject({
      kind: 'CREATED',
      messageId: 'm2',
    });
    socket.send({ id: 's', type: 'complete' });
    socket.subscribe('m', SEND);
    expect(await socket.next()).toMatchObject({ id: 'm', type: 'next' });
    expect(await socket.next()).toEqual({ id: 'm', type: 'complete' });
    socket.send({ type: 'ping', payload: { a: 1 } });
    expect(await socket.next()).toEqual({ type: 'pong', payload: { a: 1 } });
  });

  test.each([
    ['connection_init, as Authorization', { Authorization: 'Bearer t' }, {}],
    ['connection_init, as authorization', { authorization: 'bearer t' }, {}],
    ['the header of the upgrade', {}, { authorization: 'Bearer t' }],
    [
      'connection_init, if it is in both',
      { authorization: 'Bearer t' },
      { authorization: 'Bearer other' },
    ],
    ['neither: fields that need the service are UNAUTHENTICATED', {}, {}],
  ])('the token is that in %s', async (where, payload, headers) => {
    await using gateway = await startScripted(SERVICE);
    using socket = await openSocket(gateway.url, { init: false, headers });
    socket.send({ type: 'connection_init', payload });
    expect(await socket.next()).toMatchObject({ type: 'connection_ack' });
    socket.subscribe('q', READ);

    const answer = await socket.next();
    const [call] = gateway.service.calls;
    if (where.startsWith('neither')) {
      expect(answer?.payload.errors[0].extensions.code).toBe('UNAUTHENTICATED');
      expect(call).toBeUndefined();
    } else {
      expect(answer?.payload).toEqual({ data: { message: { message: 'text m1' } } });
      expect(call?.token?.toLowerCase()).toBe('bearer t');
    }
  });

  test.each([
    ['is not valid', { query: '{ nothing }' }, 'GRAPHQL_VALIDATION_FAILED'],
    ['has no text', { query: '' }, 'BAD_REQUEST'],
    [
      'is persisted and unknown',
      { extensions: { persistedQuery: { version: 1, sha256Hash: 'abc' } } },
      'PERSISTED_QUERY_NOT_FOUND',
    ],
  ])('an operation that %s ends with an error', async (_, payload, code) => {
    await using gateway = await startTestGateway(NOWHERE);
    using socket = await openSocket(gateway.url);
    socket.send({ id: '1', type: 'subscribe', payload });
    expect(await socket.next()).toMatchObject({
      id: '1',
      type: 'error',
      payload: [{ extensions: { code } }],
    });
    socket.subscribe('1', '{ __typename }');
    expect(await socket.next()).toMatchObject({ id: '1', type: 'next' });
  });

  test('request ids begin with that of the socket, and never hold the token', async () => {
    await using gateway = await startScripted(SERVICE);
    const headers = { 'x-request-id': 'my-socket' };
    using socket = await openSocket(gateway.url, { headers });
    using other = await openSocket(gateway.url, { headers, token: 'my-socket' });
    for (const id of ['a', 'b']) {
      socket.subscribe(id, READ);
      expect(await socket.next()).toMatchObject({ type: 'next' });
      expect(await socket.next()).toMatchObject({ type: 'complete' });
    }

    expect(socket.messages[0]).toEqual({
      type: 'connection_ack',
      payload: { requestId: 'my-socket' },
    });
    expect(gateway.service.headers.map((sent) => sent['x-request-id'])).toEqual([
      'my-socket.1',
      'my-socket.2',
    ]);
    expect(other.messages[0]?.payload.requestId).not.toContain('my-socket');
  });

  test('numbers in attachments keep every digit, both ways', async () => {
    const number = '12345678901234567890.5';
    const body = JSON.stringify(wireMessage('m1', { attachments: ['@'] }));
    await using gateway = await startScripted(() => ({
      body: body.replace('"@"', number),
    }));
    using socket = await openSocket(gateway.url);
    const texts: string[] = [];
    socket.ws.on('message', (data) => texts.push(String(data)));
    const query =
      'mutation ($a: [JSON!]) { updateMessage(input: { id: \\"m1\\", attachments: $a }) { message { attachments } } }';
    socket.send(
      `{"id":"1","type":"subscribe","payload":{"query":"${query}","variables":{"a":[${number}]}}}`,
    );
    await socket.next();

    expect(gateway.service.calls[0]?.form).toContain(number);
    expect(texts[0]).toContain(`[${number}]`);
  });
});

const UPGRADE = {
  Host: 'gateway',
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Protocol': 'graphql-transport-ws',
};
const toUpgrade = (path: string, headers: Record<string, string> = {}) =>
  [
    `GET ${path} HTTP/1.1`,
    ...Object.entries({ ...UPGRADE, ...headers }).map(([name, one]) => `${name}: ${one}`),
    '\r\n',
  ].join('\r\n');

describe('an upgrade', () => {
  const CORS = { CORS_ORIGINS: 'https://app.test' };

  // security: socket-of-another-site
  test.each([
    ['elsewhere than at /graphql', '/metrics', {}, 404],
    ['with a bad key', '/graphql', { 'Sec-WebSocket-Key': 'x' }, 400],
    ['in another version', '/graphql', { 'Sec-WebSocket-Version': '1' }, 400],
    ['from a page of another origin', '/graphql', { Origin: 'https://evil.test' }, 403],
    ['from a page without an origin', '/graphql', { Origin: 'null' }, 403],
  ])('%s gets an error in the shape of GraphQL', async (_, path, headers, status) => {
    await using gateway = await startTestGateway(NOWHERE, CORS);

    const answer = await sendRaw(gateway.url, toUpgrade(path, headers));

    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${status} `);
    expect(head).toMatch(/^x-request-id: /m);
    expect(JSON.parse(body).errors[0].extensions.code).toMatch(
      /^(NOT_FOUND|BAD_REQUEST)$/,
    );
  });

  // security: socket-of-another-site
  test.each(['https://app.test', 'same', undefined])(
    'is accepted from a page of an allowed origin, its own pages, and no page: %s',
    async (origin) => {
      await using gateway = await startTestGateway(NOWHERE, CORS);
      const from = origin === 'same' ? gateway.url : origin;
      using socket = await openSocket(gateway.url, {
        headers: from === undefined ? {} : { origin: from },
      });

      expect(socket.messages[0]?.type).toBe('connection_ack');
    },
  );
});

/** What a client sends in place of messages, and the code with which its socket is closed. */
const NONSENSE: [what: string, messages: (string | Buffer)[], code: number][] = [
  ['text that is no JSON', ['{'], 4400],
  ['a message of an unknown type', ['{"type":"start"}'], 4400],
  ['a subscribe without an id', ['{"type":"subscribe","payload":{"query":"{a}"}}'], 4400],
  ['an id of a megabyte', [`{"type":"complete","id":"${'x'.repeat(900_000)}"}`], 4400],
  [
    'more items than a body may have',
    [`{"type":"ping","payload":{"a":[${'0,'.repeat(300_000)}0]}}`],
    4400,
  ],
  ['a message longer than a body may be', ['x'.repeat(1_048_577)], 1009],
  ['text that is no UTF-8', [Buffer.from([0xff])], 1007],
  [
    'a second connection_init',
    ['{"type":"connection_init"}', '{"type":"connection_init"}'],
    4429,
  ],
  [
    'a subscribe before connection_init',
    ['{"type":"subscribe","id":"1","payload":{"query":"{a}"}}'],
    4401,
  ],
  [
    'a token of a megabyte',
    [
      `{"type":"connection_init","payload":{"authorization":"Bearer ${'x'.repeat(900_000)}"}}`,
    ],
    4400,
  ],
];

describe('a socket is closed', () => {
  // security: bad-messages
  test.each(NONSENSE)('after %s, and no other is', async (_, messages, code) => {
    await using gateway = await startTestGateway(NOWHERE);
    using socket = await openSocket(gateway.url, { init: false });
    using other = await openSocket(gateway.url);
    for (const message of messages) socket.ws.send(message, { binary: false });

    expect(await socket.closed).toBe(code);
    other.subscribe('q', '{ __typename }');
    expect(await other.next()).toMatchObject({ type: 'next' });
  });

  test('with 4400 after bytes', async () => {
    await using gateway = await startTestGateway(NOWHERE);
    using socket = await openSocket(gateway.url);
    socket.ws.send(Buffer.from('{"type":"ping"}'));

    expect(await socket.closed).toBe(4400);
  });

  test('with 4406 if it does not speak the protocol', async () => {
    await using gateway = await startTestGateway(NOWHERE);
    using socket = await openSocket(gateway.url, { init: false, protocols: [] });

    expect(await socket.closed).toBe(4406);
  });

  test('alone if its frames break the protocol of WebSockets', async () => {
    await using gateway = await startTestGateway(NOWHERE);
    using other = await openSocket(gateway.url);
    const frames = {
      'of an unknown kind': [0x83, 0x80, 0, 0, 0, 0],
      'without a mask': [0x81, 0x01, 0x7b],
      'with reserved bits': [0xf1, 0x80, 0, 0, 0, 0],
      'that go on with nothing': [0x80, 0x80, 0, 0, 0, 0],
      'of eight exbibytes': [0x81, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255],
    };
    const codes = Object.values(frames).map(async (frame) => {
      const socket = connectTo(gateway.url);
      socket.write(toUpgrade('/graphql'));
      socket.write(Buffer.from(frame));
      const bytes = Buffer.concat(await socket.toArray());
      // A frame with the code follows the headers.
      return bytes.readUInt16BE(bytes.indexOf('\r\n\r\n') + 6);
    });

    expect(await Promise.all(codes)).toEqual([1002, 1002, 1002, 1002, 1009]);
    other.subscribe('q', '{ __typename }');
    expect(await other.next()).toMatchObject({ type: 'next' });
  });
});

// security: flooded-socket
test('hundreds of pings that nobody reads the answers of, and frames that never end, leave the others unharmed', async () => {
  await using gateway = await startTestGateway(NOWHERE);
  using pinging = await openSocket(gateway.url);
  using endless = await openSocket(gateway.url);
  using other = await openSocket(gateway.url);
  pinging.ws.pause();
  const payload = { text: 'x'.repeat(100_000) };
  for (let count = 0; count < 300; count += 1) pinging.send({ type: 'ping', payload });
  for (let count = 0; count < 5000; count += 1) pinging.ws.ping();
  for (let count = 0; count < 30; count += 1) {
    endless.ws.send('x'.repeat(50_000), { fin: false });
  }

  expect(await endless.closed).toBe(1009);
  for (let count = 0; count < 20; count += 1) {
    other.subscribe(String(count), '{ __typename }');
    expect(await other.next()).toMatchObject({ type: 'next' });
    expect(await other.next()).toMatchObject({ type: 'complete' });
  }
});

test('a gateway that stops does not wait for a client that does not read the close', async () => {
  const gateway = await startTestGateway(NOWHERE);
  using socket = await openSocket(gateway.url);
  socket.ws.pause();

  await expect(gateway.close()).resolves.toBeUndefined();
});
