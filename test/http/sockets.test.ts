import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CallerOf } from '../../src/callers/caller-id.ts';
import { createOperationTime } from '../../src/callers/time-limit.ts';
import type { HttpContext } from '../../src/http/context.ts';
import { createIncoming, type Incoming } from '../../src/http/incoming.ts';
import {
  createSlowClientGuard,
  type SlowClientBounds,
} from '../../src/http/slow-clients.ts';
import { serveSockets } from '../../src/http/socket/sockets.ts';
import { createStreams } from '../../src/http/streams.ts';
import type { OperationRequest, Operations } from '../../src/operation/request.ts';
import { accepted, stranger } from '../support/callers.ts';
import { serve } from '../support/http.ts';
import { createResults } from '../support/results.ts';
import { openSocket, type TestSocket } from '../support/socket.ts';

afterEach(() => {
  vi.useRealTimers();
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

type Answer = Awaited<ReturnType<Operations['subscribe']>>;
const toAnswer = (data: unknown): Answer =>
  ({ status: 200, headers: [], body: JSON.stringify({ data }) }) as unknown as Answer;

const REFUSED = {
  type: 'error',
  payload: [{ extensions: { code: 'OVERLOADED', retryAfterSeconds: 1 } }],
};

interface Options extends Partial<SlowClientBounds> {
  readonly subscribe?: (request: OperationRequest) => Promise<Answer>;
  readonly maxSockets?: number;
  readonly holdRequest?: HttpContext['holdRequest'];
  readonly callerOf?: CallerOf;
  readonly maxIncomingBytes?: number;
  readonly operationMs?: number;
  readonly incoming?: Incoming;
}

/** A server of sockets alone. */
async function start({
  subscribe = async () => toAnswer('short'),
  maxSockets = 100,
  maxSendingBytes = 100_000_000,
  holdRequest = () => () => {},
  callerOf = accepted,
  maxIncomingBytes = 100_000_000,
  operationMs = 10_000,
  incoming = createIncoming(stranger, maxIncomingBytes),
  ...bounds
}: Options = {}) {
  const { server, url, [Symbol.asyncDispose]: stop } = await serve(() => {});
  const streams = createStreams();
  const slowClients = createSlowClientGuard({ maxSendingBytes, ...bounds });
  const context: Partial<HttpContext> = {
    subscribe,
    operationTime: createOperationTime(operationMs),
    holdRequest,
    callerOf,
    forwardHeaders: null,
    incoming,
    slowClients,
    corsOrigins: '*',
    maxSubscriptions: maxSockets,
    streams,
    count: () => {},
    failed: () => {},
  };
  serveSockets(server, context as HttpContext);
  return {
    url,
    streams,
    async [Symbol.asyncDispose]() {
      streams.destroy();
      await streams.allEnded();
      slowClients.stop();
      await stop();
    },
  };
}

/** The same with one socket. */
async function startWithSocket(options: Options = {}) {
  const server = await start(options);
  const socket = await openSocket(server.url);
  return {
    ...socket,
    streams: server.streams,
    async [Symbol.asyncDispose]() {
      socket.ws.terminate();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('a client that does not read', () => {
  // security: unread-socket
  test('gets no more events, and is sent away after a while; others see no delay', async () => {
    const slow: string[] = [];
    const events = createResults();
    const text = 'x'.repeat(100_000);
    for (let count = 0; count < 1000; count += 1) events.send({ text });
    await using server = await start({
      subscribe: async ({ caller }) =>
        caller.token === 'slow' ? events.results : toAnswer('short'),
      windowMs: 1000,
      onSlow: ({ reason }) => slow.push(reason),
    });
    using socket = await openSocket(server.url, { token: 'slow' });
    using other = await openSocket(server.url);
    socket.ws.pause();
    socket.subscribe('s', 'x');
    await expect.poll(() => slow).toEqual(['time']);
    await expect.poll(() => events.ends).toContain('left');
    const taken = events.taken();
    other.subscribe('q', 'x');

    expect(await other.next()).toMatchObject({ type: 'next' });
    expect(events.taken()).toBe(taken);
  });

  // security: unread-socket
  test('is sent away at once when its answers need more room than there is', async () => {
    const slow: string[] = [];
    await using socket = await startWithSocket({
      subscribe: async () => toAnswer('x'.repeat(8_000_000)),
      maxSendingBytes: 30_000_000,
      onSlow: ({ reason }) => slow.push(reason),
    });
    socket.ws.pause();
    for (let id = 0; id < 10; id += 1) socket.subscribe(String(id), 'x');
    await expect.poll(() => slow).toEqual(['room']);
    socket.ws.resume();

    expect(await socket.closed).toBe(1006);
  });

  test('but reads slowly gets its whole answer', async () => {
    const text = 'ä'.repeat(6_000_000);
    await using socket = await startWithSocket({
      subscribe: async () => toAnswer(text),
      windowMs: 1000,
    });
    const slowly = setInterval(() => {
      socket.ws.pause();
      setTimeout(() => socket.ws.resume(), 15);
    }, 20);
    socket.subscribe('q', 'x');
    const message = await socket.next();
    clearInterval(slowly);

    expect(message?.payload.data === text).toBe(true);
  });
});

test('what a busy client has read takes no room, although more always waits for it', async () => {
  // On a busy machine it takes longer than a client may leave a ping unanswered, or read nothing.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  const slow: string[] = [];
  const text = 'x'.repeat(500_000);
  await using server = await start({
    async subscribe({ caller }) {
      if (caller.token === 'other') return toAnswer('x'.repeat(8_000_000));
      const events = createResults();
      for (let count = 0; count < 5; count += 1) events.send({ text });
      return events.results;
    },
    maxSendingBytes: 30_000_000,
    onSlow: ({ reason }) => slow.push(reason),
  });
  using other = await openSocket(server.url, { token: 'other' });
  using busy = await openSocket(server.url);
  other.ws.pause();
  other.subscribe('q', 'x');
  // One event of each waits: together they are more than the connection takes at once.
  for (let id = 0; id < 24; id += 1) busy.subscribe(`${id}`, 'x');
  for (let read = 0; read < 24 * 5; read += 1) await busy.next();
  other.ws.resume();

  expect(await other.next()).toMatchObject({ type: 'next' });
  expect(slow).toEqual([]);
});

describe('a half-open socket', () => {
  // security: unread-socket
  test('is closed when a ping has no answer; others stay', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    await using server = await start();
    using gone = await openSocket(server.url);
    using other = await openSocket(server.url);
    // Nothing is read any more, so nothing is answered.
    gone.ws.pause();
    let pings = 0;
    other.ws.on('ping', () => {
      pings += 1;
    });
    for (let beat = 1; beat <= 3; beat += 1) {
      await vi.advanceTimersByTimeAsync(10_000);
      await expect.poll(() => pings).toBe(beat);
      // Its answers come behind its pong.
      other.subscribe(String(beat), 'x');
      await other.next();
      await other.next();
    }
    gone.ws.resume();

    expect(await gone.closed).toBe(1006);
    expect(other.ws.readyState).toBe(other.ws.OPEN);
  });

  // security: endless-sockets
  test('is closed with 4408 if no connection_init comes within 10 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await using server = await start();
    using socket = await openSocket(server.url, { init: false });
    using other = await openSocket(server.url);
    vi.advanceTimersByTime(10_000);

    expect(await socket.closed).toBe(4408);
    expect(other.ws.readyState).toBe(other.ws.OPEN);
  });
});

describe('when the gateway stops', () => {
  test('a socket is closed with 1012 and without complete, when what runs has been answered', async () => {
    const events = createResults();
    events.send({});
    let answer = (_answer: Answer) => {};
    let count = 0;
    await using server = await start({
      async subscribe({ caller }) {
        count += 1;
        if (caller.token === 'live') return events.results;
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
    });
    using live = await openSocket(server.url, { token: 'live' });
    using busy = await openSocket(server.url);
    live.subscribe('s', 'x');
    busy.subscribe('m', 'x');
    await live.next();
    await expect.poll(() => count).toBe(2);
    await server.streams.close({ mostMs: 0 });
    expect(await live.closed).toBe(1012);
    expect(busy.ws.readyState).toBe(busy.ws.OPEN);
    // Its client sends it again elsewhere.
    busy.subscribe('later', 'x');
    await sleep(50);
    answer(toAnswer('done'));

    expect(await busy.closed).toBe(1012);
    expect(busy.messages.slice(1)).toEqual([
      { id: 'm', type: 'next', payload: { data: 'done' } },
      { id: 'm', type: 'complete' },
    ]);
    expect(count).toBe(2);
    expect(live.messages.at(-1)?.type).toBe('next');
    expect(events.ends[0]).toBe('drained');
    using late = await openSocket(server.url, { init: false });
    expect(await late.closed).toBe(1012);
  });
});

// security: leaving-clients
test('an operation that a stop waits for is cancelled by complete', async () => {
  const requests: OperationRequest[] = [];
  await using socket = await startWithSocket({
    subscribe(request) {
      requests.push(request);
      return new Promise((_resolve, reject) =>
        request.lifetime.addEventListener('abort', { handleEvent: () => reject() }),
      );
    },
  });
  socket.subscribe('m', 'x');
  await expect.poll(() => requests.length).toBe(1);
  await socket.streams.close({ mostMs: 0 });

  socket.send({ id: 'm', type: 'complete' });

  await expect.poll(() => requests[0]?.lifetime.aborted).toBe(true);
  expect(await socket.closed).toBe(1012);
});

const connectionOf = ({ ws }: TestSocket) =>
  (ws as unknown as { readonly _socket: Socket })._socket;

/** Sends three operations in one moment. While the first begins, the thread is so busy that the next waits for its turn. */
function sendThree(socket: TestSocket): void {
  connectionOf(socket).cork();
  for (const id of ['a', 'b', 'c']) socket.subscribe(id, 'x'.repeat(1000));
  connectionOf(socket).uncork();
}

const TEXT = 1;
const PING = 9;
const PONG = '{"type":"pong"}';

/** A short frame of a client, whose mask changes nothing. */
const toFrame = (opcode: number, text: string) =>
  Buffer.from([0x80 + opcode, 0x80 + text.length, 0, 0, 0, 0, ...Buffer.from(text)]);

const subscribing = (query: string) =>
  toFrame(TEXT, JSON.stringify({ id: 'q', type: 'subscribe', payload: { query } }));

// security: flooded-socket
test('thousands of messages that come together are handled between those of others', async () => {
  const begun: string[] = [];
  await using server = await start({
    async subscribe({ params }) {
      begun.push((params.body as { query: string }).query);
      return toAnswer('short');
    },
  });
  using flooding = await openSocket(server.url);
  using other = await openSocket(server.url);
  const frames = [
    ...Array<Buffer>(2000).fill(toFrame(TEXT, PONG)),
    subscribing('behind them'),
  ];
  connectionOf(flooding).write(Buffer.concat(frames));
  other.subscribe('q', 'of another');

  await expect.poll(() => begun.length).toBe(2);
  expect(begun).toEqual(['of another', 'behind them']);
});

// security: flooded-socket
test('pings that come together have one answer, to the last of them', async () => {
  await using socket = await startWithSocket();
  const pongs: string[] = [];
  socket.ws.on('pong', (data) => pongs.push(String(data)));
  const pings = Array.from({ length: 2000 }, (_, index) => toFrame(PING, `${index}`));
  connectionOf(socket).write(Buffer.concat(pings));

  await expect.poll(() => pongs.at(-1)).toBe('1999');
  expect(pongs.length).toBeLessThan(20);
});

/** Counts what waits; 0: nothing more. */
function countIncoming() {
  const counted: number[] = [];
  const hold = (bytes: number) => counted.push(bytes) > 0;
  const end = () => void counted.push(0);
  return { counted, incoming: { open: () => ({ hold, end }) } };
}

test('a socket that is destroyed is gone at once, and what it has sent counts no more', async () => {
  const { incoming, counted } = countIncoming();
  await using socket = await startWithSocket({
    incoming,
    async subscribe() {
      setImmediate(() => socket.streams.destroy());
      return toAnswer('short');
    },
  });
  const frames = [subscribing('x'), ...Array<Buffer>(2000).fill(toFrame(TEXT, PONG))];
  connectionOf(socket).write(Buffer.concat(frames));
  await expect.poll(() => Math.max(...counted)).toBeGreaterThan(40_000);
  for (let round = 0; round < 100; round += 1) await nextRound();

  expect(socket.streams.counts().get('websocket')).toBe(0);
  expect(counted.at(-1)).toBe(0);
});

const keepThreadBusy = () => {
  const end = performance.now() + 5;
  while (performance.now() < end);
};

test('messages that wait when the gateway stops count no more, although an operation still runs', async () => {
  const { incoming, counted } = countIncoming();
  let answer = (_answer: Answer) => {};
  await using socket = await startWithSocket({
    incoming,
    subscribe() {
      keepThreadBusy();
      queueMicrotask(() => void socket.streams.close({ mostMs: 0 }));
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
  });
  sendThree(socket);

  await expect.poll(() => Math.max(...counted)).toBeGreaterThan(1000);
  await sleep(50);
  expect(counted.at(-1)).toBe(0);
  answer(toAnswer('done'));
  expect(await socket.closed).toBe(1012);
});

test('messages that wait when their socket is destroyed never begin', async () => {
  const begun: string[] = [];
  await using socket = await startWithSocket({
    subscribe({ id }) {
      begun.push(id);
      keepThreadBusy();
      queueMicrotask(() => socket.streams.destroy());
      return new Promise(() => {});
    },
  });
  sendThree(socket);

  expect(await socket.closed).toBe(1006);
  await sleep(50);
  expect(begun).toHaveLength(1);
});

describe('the operations of one socket', () => {
  // security: flooded-socket
  test.each([
    ['32', accepted, 32],
    ['8, if its token was never accepted,', stranger, 8],
  ])('are begun %s at a time, and all are answered', async (_, callerOf, bound) => {
    let running = 0;
    let most = 0;
    await using socket = await startWithSocket({
      callerOf,
      async subscribe() {
        running += 1;
        most = Math.max(most, running);
        await sleep(5);
        running -= 1;
        return toAnswer('short');
      },
    });
    for (let id = 0; id < 500; id += 1) socket.subscribe(String(id), 'x');

    const answered = () => socket.messages.filter(({ type }) => type === 'next');
    await expect.poll(() => answered().length).toBe(500);
    expect(most).toBe(bound);
  });

  /** A server whose operations end when the test says so, and a socket with 32 of them under way. */
  async function startBusy(options: Options = {}) {
    const begun: string[] = [];
    const answers = new Map<string, () => void>();
    const socket = await startWithSocket({
      ...options,
      subscribe({ params }) {
        const { query } = params.body as { query: string };
        begun.push(query);
        return new Promise((resolve) => {
          answers.set(query, () => resolve(toAnswer(query)));
        });
      },
    });
    for (let id = 0; id < 32; id += 1) socket.subscribe(`${id}`, `${id}`);
    await expect.poll(() => begun.length).toBe(32);
    return {
      socket,
      begun,
      end: (query: string) => answers.get(query)?.(),
      [Symbol.asyncDispose]: socket[Symbol.asyncDispose],
    };
  }

  test('are answered at once when their time is up while they wait', async () => {
    await using busy = await startBusy({ operationMs: 300 });
    const { socket, begun } = busy;
    const began = performance.now();

    for (const id of ['a', 'b']) socket.subscribe(id, id);

    await expect.poll(() => begun.slice(32)).toEqual(['a', 'b']);
    expect(performance.now() - began).toBeGreaterThan(250);
  });

  // security: flooded-socket
  test('wait in order, and those that are completed meanwhile never begin', async () => {
    await using busy = await startBusy();
    const { socket, begun, end } = busy;
    for (const id of ['a', 'b', 'c', 'd']) {
      socket.subscribe(id, id, { text: 'x'.repeat(id === 'c' ? 20_000 : 1) });
    }
    socket.send({ id: 'b', type: 'complete' });
    socket.subscribe('b', 'again');
    socket.send({ type: 'ping' });
    expect(await socket.next()).toEqual({ type: 'pong' });
    for (let id = 0; id < 32; id += 1) end(`${id}`);

    await expect.poll(() => begun.slice(32)).toEqual(['a', 'c', 'd', 'again']);
  });

  // security: bad-messages
  test.each(['0', 'a', '€'.repeat(200)])(
    'use their ids while they run or wait: the second %s closes the socket with 4409',
    async (id) => {
      await using busy = await startBusy();
      const { socket } = busy;
      socket.subscribe('a', 'a');
      socket.subscribe('€'.repeat(200), 'b');
      socket.subscribe(id, 'c');

      expect(await socket.closed).toBe(4409);
    },
  );

  // security: flooded-socket
  test('wait as far as there is room, and are refused one by one beyond it', async () => {
    await using busy = await startBusy();
    const { socket, begun, end } = busy;
    const text = 'x'.repeat(400_000);
    for (const id of ['a', 'b', 'c']) socket.subscribe(id, id, { text });
    socket.subscribe('d', 'd');

    expect(await socket.next()).toMatchObject({ id: 'c', ...REFUSED });
    end('0');
    await expect.poll(() => begun.at(-1)).toBe('a');
    for (let id = 1; id < 32; id += 1) end(`${id}`);
    await expect.poll(() => begun.slice(32)).toEqual(['a', 'b', 'd']);
  });

  test('that wait are refused when others need their room', async () => {
    await using busy = await startBusy({ maxIncomingBytes: 600_000 });
    const { socket, begun, end } = busy;
    const text = 'x'.repeat(400_000);
    socket.subscribe('a', 'a', { text });
    await sleep(1100);
    socket.subscribe('b', 'b', { text });

    expect(await socket.next()).toMatchObject({ id: 'a', ...REFUSED });
    end('0');
    await expect.poll(() => begun.at(-1)).toBe('b');
  });

  test.each([
    ['malformed', '{'],
    [
      'of two types',
      '{"type":"ping","id":"1","type":"subscribe","payload":{"query":"{ a }"}}',
    ],
    ['too long', 'x'.repeat(2_000_000)],
  ])(
    'that wait never begin after a message that is %s, although the client keeps the socket open',
    async (_, message) => {
      await using busy = await startBusy();
      const { socket, begun, end } = busy;
      const isClosing = new Promise<void>((resolve) => {
        // The client would agree.
        socket.ws.close = () => resolve();
      });
      socket.subscribe('a', 'a');
      socket.send(message);
      await isClosing;
      for (let id = 0; id < 32; id += 1) end(`${id}`);
      await sleep(50);

      expect(begun.slice(32)).toEqual([]);
    },
  );

  test('are cancelled by complete, and their ids may be used again at once', async () => {
    const requests: OperationRequest[] = [];
    const answers: ((answer: Answer) => void)[] = [];
    await using socket = await startWithSocket({
      subscribe(request) {
        requests.push(request);
        return new Promise((resolve) => answers.push(resolve));
      },
    });
    socket.subscribe('1', 'x');
    socket.send({ id: '1', type: 'complete' });
    socket.subscribe('1', 'x');
    await expect.poll(() => requests.length).toBe(2);
    expect(requests.map(({ lifetime }) => lifetime.aborted)).toEqual([true, false]);
    answers[0]?.(toAnswer('first'));
    await sleep(20);
    answers[1]?.(toAnswer('second'));

    const payload = { data: 'second' };
    expect(await socket.next()).toEqual({ id: '1', type: 'next', payload });
    expect(await socket.next()).toEqual({ id: '1', type: 'complete' });
  });

  test('are cancelled when the socket is lost, and subscriptions end', async () => {
    const requests: OperationRequest[] = [];
    const events = createResults();
    events.send({});
    await using socket = await startWithSocket({
      subscribe(request) {
        requests.push(request);
        return requests.length === 1
          ? Promise.resolve(events.results)
          : new Promise(() => {});
      },
    });
    socket.subscribe('s', 'x');
    await socket.next();
    socket.subscribe('q', 'x');
    await expect.poll(() => requests.length).toBe(2);
    socket.ws.terminate();
    await once(socket.ws, 'close');

    await expect.poll(() => requests[1]?.lifetime.aborted).toBe(true);
    await expect.poll(() => events.ends).toContain('left');
  });

  describe('whose time is up when their subscription has just begun', () => {
    /** A socket with a subscription whose time is up; it has begun when the test says so. */
    async function startLate() {
      const requests: OperationRequest[] = [];
      const events = createResults();
      let begin = () => {};
      const socket = await startWithSocket({
        operationMs: 50,
        subscribe(request) {
          requests.push(request);
          return new Promise((resolve) => {
            begin = () => resolve(events.results);
          });
        },
      });
      socket.subscribe('s', 'x');
      await expect.poll(() => requests[0]?.lifetime.aborted).toBe(true);
      return {
        socket,
        events,
        begin: () => begin(),
        [Symbol.asyncDispose]: socket[Symbol.asyncDispose],
      };
    }

    test('get their events all the same', async () => {
      await using late = await startLate();
      late.begin();
      late.events.send({ kind: 'CREATED' });

      expect(await late.socket.next()).toMatchObject({ id: 's', type: 'next' });
      expect(late.events.ends).toEqual([]);
    });

    test('end when their client has completed them meanwhile', async () => {
      await using late = await startLate();
      late.socket.send({ id: 's', type: 'complete' });
      late.socket.send({ type: 'ping' });
      expect(await late.socket.next()).toEqual({ type: 'pong' });
      late.begin();

      await expect.poll(() => late.events.ends).toContain('left');
    });
  });

  test('keep nothing of the message of a subscription that has begun', async () => {
    const bodies: WeakRef<object>[] = [];
    const events = createResults();
    events.send({});
    await using socket = await startWithSocket({
      async subscribe({ params }) {
        bodies.push(new WeakRef(params.body as object));
        return events.results;
      },
    });
    socket.subscribe('s', 'x');
    await socket.next();

    await expect
      .poll(() => {
        collectGarbage();
        return bodies.map((body) => body.deref());
      })
      .toEqual([undefined]);
    expect(events.ends).toEqual([]);
  });

  test('of which one fails by a bug end alone', async () => {
    await using socket = await startWithSocket({
      subscribe: async ({ id }) => {
        if (id.endsWith('.1')) throw new Error('secret');
        return toAnswer('short');
      },
    });
    socket.subscribe('a', 'x');
    const extensions = { code: 'INTERNAL_SERVER_ERROR' };
    const payload = [{ message: 'Internal server error', extensions }];
    expect(await socket.next()).toEqual({ id: 'a', type: 'error', payload });
    socket.subscribe('b', 'x');
    expect(await socket.next()).toMatchObject({ id: 'b', type: 'next' });
  });
});

describe('unfinished messages', () => {
  const part = (socket: TestSocket, text: string) =>
    new Promise((sent) => socket.ws.send(text, { fin: false }, sent));

  // security: unfinished-bodies
  test('make room after a second: the socket that began first is closed with 1013, and others are served', async () => {
    await using server = await start({ maxIncomingBytes: 1_000_000 });
    const sockets = [];
    for (let count = 0; count < 3; count += 1) {
      const socket = await openSocket(server.url);
      sockets.push(socket);
      if (count === 2) await sleep(1100);
      await part(socket, 'x'.repeat(400_000));
      // It has come.
      socket.ws.ping();
      await Promise.race([once(socket.ws, 'pong'), socket.closed]);
    }
    using other = await openSocket(server.url);
    other.subscribe('q', 'x');

    expect(await sockets[0]?.closed).toBe(1013);
    expect(sockets[1]?.ws.readyState).toBe(other.ws.OPEN);
    expect(await other.next()).toMatchObject({ type: 'next' });
    for (const socket of sockets) socket.ws.terminate();
  });

  // security: many-chunks
  test('count as all that is kept for them, whatever the size of their frames', async () => {
    await using socket = await startWithSocket({ maxIncomingBytes: 100_000 });
    for (let count = 0; count < 500; count += 1) void part(socket, 'x');

    expect(await socket.closed).toBe(1013);
  });

  // security: many-chunks
  test('of more than a thousand frames close their socket', async () => {
    await using socket = await startWithSocket();
    for (let count = 0; count < 1100; count += 1) void part(socket, 'x');

    expect(await socket.closed).toBe(1008);
  });

  test('count no more when they have ended, or their client has left', async () => {
    await using server = await start({ maxIncomingBytes: 1_000_000 });
    using socket = await openSocket(server.url);
    for (let id = 0; id < 10; id += 1) {
      using leaving = await openSocket(server.url);
      await part(leaving, 'x'.repeat(400_000));
      await part(socket, `{"id":"${id}","type":"subscribe",${' '.repeat(400_000)}`);
      socket.ws.send('"payload":{"query":"x"}}');
      expect(await socket.next()).toMatchObject({ id: `${id}`, type: 'next' });
      expect(await socket.next()).toMatchObject({ id: `${id}`, type: 'complete' });
    }
  });
});

describe('a long message', () => {
  const LONG = { text: 'x'.repeat(10_000) };
  /** Counts what is held. */
  const createHold = () => {
    const state = { held: 0, times: 0 };
    const holdRequest: HttpContext['holdRequest'] = () => {
      state.held += 1;
      state.times += 1;
      return () => {
        state.held -= 1;
      };
    };
    return { state, holdRequest };
  };

  // security: long-requests
  test('is held until its answer is sent; a short one is not', async () => {
    const { state, holdRequest } = createHold();
    const seen: number[] = [];
    await using socket = await startWithSocket({
      holdRequest,
      subscribe: async () => {
        seen.push(state.held);
        return toAnswer('short');
      },
    });
    socket.subscribe('short', 'x');
    await expect.poll(() => socket.messages.length).toBe(3);
    socket.subscribe('long', 'x', LONG);
    await expect.poll(() => socket.messages.length).toBe(5);

    expect(seen).toEqual([0, 1]);
    await expect.poll(() => state).toEqual({ held: 0, times: 1 });
  });

  // security: long-requests
  test('is held no more when its subscription has begun', async () => {
    const { state, holdRequest } = createHold();
    const events = createResults();
    events.send({});
    await using socket = await startWithSocket({
      holdRequest,
      subscribe: async () => events.results,
    });
    socket.subscribe('s', 'x', LONG);

    expect(await socket.next()).toMatchObject({ type: 'next' });
    expect(state).toEqual({ held: 0, times: 1 });
    socket.ws.terminate();
    await expect.poll(() => events.ends).toContain('left');
    expect(state).toEqual({ held: 0, times: 1 });
  });

  test('is refused if there is no room, and its id may be used again', async () => {
    await using socket = await startWithSocket({ holdRequest: () => null });
    socket.subscribe('q', 'x', LONG);
    socket.subscribe('q', 'x');

    expect(await socket.next()).toMatchObject({ id: 'q', ...REFUSED });
    expect(await socket.next()).toMatchObject({ id: 'q', type: 'next' });
  });

  test('keeps its place between short ones, however long it waits for its turn', async () => {
    await using socket = await startWithSocket();
    const fill = Array(100_000).fill(0);
    for (let at = 0; at < 40; at += 1) {
      socket.send({ type: 'ping', payload: { at, fill: at % 2 === 0 ? fill : [] } });
    }
    await expect.poll(() => socket.messages.length).toBe(41);

    const order = socket.messages.slice(1).map(({ payload }) => payload.at);
    expect(order).toEqual(Array.from({ length: 40 }, (_, at) => at));
  });
});
