import { once } from 'node:events';
import {
  createServer,
  IncomingMessage,
  type RequestListener,
  ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createIncoming, type Incoming, type Sender } from '../../src/http/incoming.ts';
import { acceptInTurns, readInTurn, trust } from '../../src/http/read-turns.ts';
import { accepted } from '../support/callers.ts';

const incoming = createIncoming(accepted, 100_000);
const isDraining = () => false;

/** Connections to nowhere, which end with the test. */
function open(count: number): Socket[] {
  const sockets = Array.from({ length: count }, () => new Socket().on('data', () => {}));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return sockets;
}

const readable = (sockets: readonly Socket[]) =>
  sockets.filter((socket) => !socket.isPaused()).length;

/** Keeps the thread busy. */
function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** Sends a request, and another one after each answer, as long as `goesOn`. */
function ask(client: Socket, goesOn: () => boolean): void {
  client.on('data', () => goesOn() && client.write(REQUEST));
  client.write(REQUEST);
}

/** A server with connections to it, which have been accepted; it ends with the test. */
async function serve(count: number, handle: RequestListener) {
  const server = acceptInTurns(createServer(handle), incoming, isDraining);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const clients: Socket[] = [];
  const connectOne = (localAddress = '127.0.0.1') => {
    const client = connect({ port, host: '127.0.0.1', localAddress });
    clients.push(client.on('error', () => {}));
    return client;
  };
  const accepted: Socket[] = [];
  server.on('connection', (socket) => accepted.push(socket));
  onTestFinished(async () => {
    for (const client of clients) client.destroy();
    server.closeAllConnections();
    await once(server.close(), 'close');
  });
  for (let index = 0; index < count; index += 1) await once(connectOne(), 'connect');
  await expect.poll(() => accepted.length).toBe(count);
  await expect.poll(() => readable(accepted)).toBe(count);
  return { server, clients, accepted, connectOne };
}

/** Counts the rounds of the event loop until the test has finished. */
function countRounds(): () => number {
  let rounds = 0;
  let isOver = false;
  const next = () => {
    rounds += 1;
    if (!isOver) setImmediate(next);
  };
  next();
  onTestFinished(() => {
    isOver = true;
  });
  return () => rounds;
}

// security: flooding-connections
test('new connections are read a few in a round of the event loop, the oldest and the newest in turn', async () => {
  const server = acceptInTurns(createServer(), incoming, isDraining);
  const sockets = open(500);
  for (const socket of sockets) server.emit('connection', socket);
  await Promise.resolve();
  await new Promise(process.nextTick);

  expect(readable(sockets)).toBe(0);
  await nextRound();
  const first = readable(sockets);
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThanOrEqual(64);
  expect(readable(sockets.slice(0, first / 2))).toBe(first / 2);
  expect(readable(sockets.slice(-first / 2))).toBe(first / 2);
  await expect.poll(() => readable(sockets)).toBe(500);
});

test('after a long round, one connection is read in the next', async () => {
  const sockets = open(500);
  for (const socket of sockets) readInTurn(socket);
  work(6);
  await nextRound();

  expect(readable(sockets)).toBe(1);
  await expect.poll(() => readable(sockets)).toBe(500);
});

test('a new connection does not wait behind those that have sent more', async () => {
  const server = acceptInTurns(createServer(), incoming, isDraining);
  const [fresh, ...others] = open(501) as [Socket, ...Socket[]];
  for (const socket of others) readInTurn(socket);
  server.emit('connection', fresh);
  await new Promise(process.nextTick);
  expect(fresh.isPaused()).toBe(true);
  await once(fresh, 'resume');

  expect(readable(others)).toBeLessThan(500);
  await expect.poll(() => readable(others)).toBe(500);
});

// security: many-chunks
test('of strangers whose requests take long to read, one is read in a round', async () => {
  const seen: number[] = [];
  const round = countRounds();
  const { clients } = await serve(20, (_, response) => {
    work(2);
    seen.push(round());
    response.end();
  });
  for (const client of clients) client.write(REQUEST);
  await expect.poll(() => seen.length).toBe(20);

  // A request takes longer than strangers may in one round, so the first stops all others.
  expect(new Set(seen).size).toBe(20);
});

test('a new connection is not read before its turn, whatever it has sent', async () => {
  const seen: number[] = [];
  const round = countRounds();
  const { accepted, connectOne } = await serve(0, (_, response) => {
    work(6);
    seen.push(round());
    response.end();
  });
  for (let index = 0; index < 10; index += 1) connectOne().write(REQUEST);
  await expect.poll(() => accepted.length).toBe(10);
  await expect.poll(() => seen.length).toBe(10);

  // The first rounds are short, so some are read together.
  expect(new Set(seen).size).toBeGreaterThanOrEqual(5);
});

test('the connection of an accepted caller is read in the same round as strangers', async () => {
  const seen: Socket[] = [];
  const { clients, accepted } = await serve(20, ({ socket }, response) => {
    work(2);
    seen.push(socket);
    response.end();
  });
  const own = accepted[19] as Socket;
  const caller = { isAccepted: false, name: 'ann' };
  const response = new ServerResponse(new IncomingMessage(own));
  trust(own, caller, response);
  caller.isAccepted = true;
  response.emit('finish');
  for (const client of clients) client.write(REQUEST);
  await expect.poll(() => seen.length).toBe(20);

  expect(seen.indexOf(own)).toBeLessThanOrEqual(1);
});

// security: unfinished-bodies
test('what waits of a connection counts as bytes of the accepted caller that uses it', () => {
  const senders: Sender[] = [];
  const capturing: Incoming = {
    open(sender) {
      senders.push(sender);
      return { hold: () => true, end() {} };
    },
  };
  const server = acceptInTurns(createServer(), capturing, isDraining);
  const [socket] = open(1) as [Socket];
  server.emit('connection', socket);
  expect(senders.map(({ name }) => name)).toEqual([null]);
  trust(socket, { isAccepted: true, name: 'ann' }, null);

  expect(senders.map(({ name }) => name)).toEqual(['ann']);
});

test('what came for a WebSocket waits until that has begun', async () => {
  let received = 0;
  let upgraded: Duplex | null = null as Duplex | null;
  const { connectOne, server } = await serve(0, () => {});
  server.on('upgrade', async (_, socket, head) => {
    upgraded = socket;
    received += head.length;
    // It waits for the answers to earlier requests.
    await sleep(50);
    socket.on('data', (part) => {
      received += part.length;
    });
    socket.resume();
  });
  const client = connectOne();
  client.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: a\r\n\r\n');
  client.write(Buffer.alloc(200_000));

  await expect.poll(() => received).toBe(200_000);
  upgraded?.destroy();
});

// security: many-chunks
test('what a stranger has sent is parsed in parts, with a round of the event loop after each', async () => {
  const parts = new Map<number, number>();
  const round = countRounds();
  let body = '';
  const { clients } = await serve(1, async (request, response) => {
    request.on('data', (part) => {
      // A part of 4 KiB holds 683 chunks, and takes longer than strangers may in one round.
      work(0.01);
      parts.set(round(), (parts.get(round()) ?? 0) + 1);
      body += part;
    });
    await once(request, 'end');
    response.end();
  });
  const sent = Array.from({ length: 50_000 }, (_, index) => index % 10);
  const [client] = clients as [Socket];
  client.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
  client.write(sent.map((digit) => `1\r\n${digit}\r\n`).join(''));
  client.write('0\r\n\r\n');
  await once(client, 'data');

  expect(body).toBe(sent.join(''));
  // One before the event loop has looked for what has come, and one after that, may count in the same round.
  expect(Math.max(...parts.values())).toBeLessThanOrEqual(2 * (4096 / 6 + 1));
});

// security: flooding-connections
test('connections that send nothing take no turns from strangers that do', async () => {
  let answered = 0;
  const { accepted, connectOne } = await serve(300, (_, response) => {
    work(2);
    answered += 1;
    response.end();
  });
  const idle = [...accepted];
  for (const client of [connectOne(), connectOne()]) ask(client, () => answered < 20);
  await expect.poll(() => answered).toBeGreaterThanOrEqual(20);

  expect(readable(idle)).toBe(300);
});

// security: flooding-connections
test('a stranger keeps its turn if another one takes long in the same round', async () => {
  const seen: Socket[] = [];
  const { clients, accepted, connectOne } = await serve(1, ({ socket }, response) => {
    work(2);
    seen.push(socket);
    response.end();
  });
  const other = accepted[0] as Socket;
  const [last] = clients as [Socket];
  for (let count = 0; count < 10; count += 1)
    ask(connectOne('127.0.0.2'), () => seen.length < 300);
  await expect.poll(() => seen.length).toBeGreaterThan(30);
  const before = seen.length;
  last.write(REQUEST);
  await expect.poll(() => seen.includes(other)).toBe(true);

  // Networks have turns one after the other.
  expect(seen.indexOf(other) - before).toBeLessThan(10);
});

// security: flooding-connections
test('hundreds that send one short request after another delay no other network', async () => {
  const seen: Socket[] = [];
  const { connectOne } = await serve(0, ({ socket }, response) => {
    work(0.2);
    seen.push(socket);
    response.end();
  });
  for (let count = 0; count < 200; count += 1)
    ask(connectOne('127.0.0.2'), () => seen.length < 3000);
  await expect.poll(() => seen.length).toBeGreaterThan(500);
  const other = connectOne();
  other.write(REQUEST);
  const before = seen.length;
  await once(other, 'data');

  expect(seen.length - before).toBeLessThan(300);
});

// security: flooding-connections
test('a stranger that never stops sending takes no turns from others', async () => {
  const flood = await serve(1, ({ socket }, response) => {
    work(2);
    response.end();
    seen.push(socket);
  });
  const seen: Socket[] = [];
  const [first] = flood.clients as [Socket];
  const [flooding] = flood.accepted as [Socket];
  // The next one is there before the answer to the last.
  first.on('data', () => seen.length < 300 && first.write(REQUEST));
  first.write(REQUEST.repeat(5));
  await expect.poll(() => seen.length).toBeGreaterThan(5);
  const other = flood.connectOne();
  other.write(REQUEST);
  const before = seen.length;
  await expect.poll(() => seen.some((socket) => socket !== flooding)).toBe(true);

  expect(seen.findIndex((socket) => socket !== flooding) - before).toBeLessThan(60);
});

// security: flooding-connections
test('what an accepted caller needs between two reads of strangers keeps no stranger waiting', async () => {
  let ofCaller = 0;
  const { clients, accepted } = await serve(3, ({ socket }, response) => {
    if (socket === own) {
      work(ofCaller === 0 ? 100 : 2);
      ofCaller += 1;
    }
    response.end();
  });
  const [first, caller, last] = clients as [Socket, Socket, Socket];
  const own = accepted[1] as Socket;
  trust(own, { isAccepted: true, name: 'ann' }, null);
  let isOver = false;
  first.write(REQUEST);
  ask(caller, () => !isOver);
  last.write(REQUEST);
  await once(last, 'data');
  isOver = true;

  expect(ofCaller).toBeLessThan(30);
});
