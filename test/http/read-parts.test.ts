import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { CallerId } from '../../src/callers/caller-id.ts';
import { BodyReader } from '../../src/http/body.ts';
import { createIncoming } from '../../src/http/incoming.ts';
import { acceptInTurns, trust } from '../../src/http/read-turns.ts';
import { startScripted } from '../support/gateway.ts';
import { openConnection, serve, toHead, toPost } from '../support/http.ts';

const MESSAGE = 'query($id: ID!) { message(id: $id) { id } }';
const ANN = { Authorization: 'Bearer ann-token' };
const READ = toPost('{ message(id: "m1") { id } }');

/** An operation whose body has this many characters more, in spaces. */
function toLong(spaces: number, headers: Record<string, string> = {}): [string, string] {
  const body = JSON.stringify({ query: MESSAGE, variables: { id: 'm1' } });
  const text = body.slice(0, -1) + ' '.repeat(spaces) + body.slice(-1);
  return [toHead({ ...ANN, ...headers }), text];
}

const inChunks = (text: string, length: number): string =>
  [...(text.match(new RegExp(`.{1,${length}}`, 'gs')) ?? []), '']
    .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
    .join('');

const isParsers = (socket: Socket): boolean =>
  (socket as unknown as { parser: { _consumed: boolean } }).parser._consumed;

/** The connections of the requests that begin from now on, in their order. */
function noteSockets(): Socket[] {
  const sockets: Socket[] = [];
  const note = (message: unknown) =>
    sockets.push((message as { readonly socket: Socket }).socket);
  subscribe('http.server.request.start', note);
  onTestFinished(() => void unsubscribe('http.server.request.start', note));
  return sockets;
}

// security: many-chunks
test("Node's parser reads from an accepted caller's connection itself, until a long body comes", async () => {
  const callerOf = (token: string | null) => new CallerId(token, () => token === 'ann');
  const incoming = createIncoming(callerOf, 10_000_000);
  const seen: Record<string, boolean> = {};
  const resumed: unknown[][] = [];
  await using server = await serve(async (request, response) => {
    const { socket, url = '' } = request;
    seen[`${url} begins`] = isParsers(socket);
    if (url !== '/stranger' && url !== '/again') resumed.push(socket.listeners('resume'));
    request.once('end', () => {
      seen[`${url} ends`] = isParsers(socket);
    });
    trust(socket, callerOf(request.headers.authorization ?? null), response);
    await new BodyReader(request, incoming, null).readWhole(null);
    response.end(url);
  });
  acceptInTurns(server.server, incoming, () => false);
  const ask = async (socket: Socket, text: string, rest?: string) => {
    const answered = once(socket, 'data');
    socket.write(text);
    if (rest !== undefined) setTimeout(() => socket.write(rest), 50);
    return String((await answered)[0])
      .split('\r\n')
      .at(-1);
  };
  const head = (path: string, token: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${token}\r\nContent-Length: ${length}\r\n\r\n`;
  using one = await openConnection(server.url);
  using other = await openConnection(server.url);
  const { socket } = one;

  expect(await ask(socket, `${head('/first', 'ann', 2)}ab`)).toBe('/first');
  expect(await ask(socket, `${head('/second', 'ann', 2)}ab`)).toBe('/second');
  expect(await ask(socket, `${head('/long', 'ann', 4)}ab`, 'cd')).toBe('/long');
  expect(await ask(socket, `${head('/after', 'ann', 2)}ab`)).toBe('/after');
  for (const path of ['/stranger', '/again'])
    expect(await ask(other.socket, `${head(path, 'eve', 4)}ab`, 'cd')).toBe(path);

  expect(seen).toEqual({
    '/first begins': false,
    '/first ends': true,
    '/second begins': true,
    '/second ends': true,
    '/long begins': true,
    '/long ends': false,
    '/after begins': false,
    '/after ends': false,
    '/stranger begins': false,
    '/stranger ends': false,
    '/again begins': false,
    '/again ends': false,
  });
  // Who pauses on this event does so behind Node, which reads on.
  for (const listeners of resumed) expect(listeners).toEqual(resumed[0]);
});

// security: many-chunks
test.each([
  ['a GET', 'GET /graphql?query={__typename} HTTP/1.1\r\nHost: x'],
  ['an unknown address', 'POST /nothing HTTP/1.1\r\nHost: x'],
  ['a type that is refused', 'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: a/b'],
])(
  'a connection over which chunks come waits for its turns, also if nobody reads them: %s',
  async (_, head) => {
    const sockets = noteSockets();
    await using gateway = await startScripted();
    using connection = await openConnection(gateway.url);
    const { socket, statuses } = connection;
    for (const count of [1, 2]) {
      socket.write(READ);
      await expect.poll(() => statuses().length).toBe(count);
    }
    const [own] = sockets as [Socket];
    expect(isParsers(own)).toBe(true);

    const lines = [
      head,
      `Authorization: ${ANN.Authorization}`,
      'Transfer-Encoding: chunked',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n${inChunks('abc', 1)}`);
    await expect.poll(() => statuses().length).toBe(3);

    expect(isParsers(own)).toBe(false);
  },
);

test('a connection whose first request comes in chunks is not given to the parser later', async () => {
  await using gateway = await startScripted();
  await gateway.ask('{ message(id: "m1") { id } }');
  const sockets = noteSockets();
  using connection = await openConnection(gateway.url);
  const { socket, statuses } = connection;

  const head = 'GET /graphql?query={__typename} HTTP/1.1\r\nHost: x';
  const rest = `Authorization: ${ANN.Authorization}\r\nTransfer-Encoding: chunked`;
  socket.write(`${head}\r\n${rest}\r\n\r\n${inChunks('abc', 1)}`);
  await expect.poll(() => statuses().length).toBe(1);
  socket.write(READ);
  await expect.poll(() => statuses().length).toBe(2);

  const [own] = sockets as [Socket];
  expect(isParsers(own)).toBe(false);
});

test('an accepted caller may send bodies in any parts over one connection, and is answered in order', async () => {
  await using gateway = await startScripted();
  using connection = await openConnection(gateway.url);
  const { socket, statuses } = connection;
  let answers = 0;
  const answered = async (...texts: string[]) => {
    for (const text of texts) {
      socket.write(text);
      await new Promise(setImmediate);
    }
    answers += 1;
    await expect.poll(() => statuses().length).toBe(answers);
  };
  const announced = (length: number) => {
    const [, body] = toLong(length);
    return [toLong(0, { 'Content-Length': `${body.length}` })[0], body] as const;
  };
  const [chunkedHead, chunked] = toLong(20_000, { 'Transfer-Encoding': 'chunked' });

  await answered(READ);
  await answered(READ);
  await answered(...announced(600_000));
  await answered(READ);
  await answered(chunkedHead, inChunks(chunked, 500));
  await answered(chunkedHead + inChunks(chunked, 5000));
  const [head, body] = announced(100);
  await answered(head, ...(body.match(/.{1,40}/gs) ?? []));
  answers += 2;
  await answered(READ.repeat(3));
  await answered(...announced(70_000));
  socket.end();

  expect(statuses()).toEqual(Array(answers).fill('200'));
  expect(connection.received().match(/"id":"m1"/g)).toHaveLength(answers);
  await expect.poll(connection.isClosed).toBe(true);
});

test('an accepted caller may change the protocol of its connection', async () => {
  await using gateway = await startScripted();
  using connection = await openConnection(gateway.url);
  const { socket, received } = connection;
  const frame = (value: object): Buffer => {
    const text = Buffer.from(JSON.stringify(value));
    // A mask of zeros leaves the text as it is.
    const length = text.length < 126 ? [text.length | 128] : [254, 0, text.length];
    return Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), text]);
  };
  socket.write(READ);
  await expect.poll(() => received().match(/HTTP\/1\.1 200/g)).toHaveLength(1);
  socket.write(READ);
  await expect.poll(() => received().match(/HTTP\/1\.1 200/g)).toHaveLength(2);

  const upgrade = [
    'GET /graphql HTTP/1.1',
    'Host: x',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    'Sec-WebSocket-Protocol: graphql-transport-ws',
    '\r\n',
  ].join('\r\n');
  const init = {
    type: 'connection_init',
    payload: { authorization: 'Bearer ann-token' },
  };
  // The first message comes with the request, as from clients that do not wait.
  socket.write(Buffer.concat([Buffer.from(upgrade), frame(init)]));
  await expect.poll(received).toContain('connection_ack');
  const payload = { query: '{ message(id: "m1") { id } }' };
  socket.write(frame({ id: '1', type: 'subscribe', payload }));

  await expect.poll(received).toContain('"type":"complete"');
  expect(received()).toContain('{"message":{"id":"m1"}}');
});
