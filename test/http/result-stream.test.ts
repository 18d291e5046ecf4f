import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  EVENTS,
  MULTIPART,
  sendResults,
  toStreamHeaders,
} from '../../src/http/result-stream.ts';
import { createSender } from '../../src/http/send-answer.ts';
import {
  createSlowClientGuard,
  type SlowClientBounds,
} from '../../src/http/slow-clients.ts';
import { createStreams } from '../../src/http/streams.ts';
import { CONTEXT, connectTo, serve } from '../support/http.ts';
import { createResults } from '../support/results.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Answers every request with a stream of these results; after its client has left, if it `comesLate`. */
async function startServer(
  format = EVENTS,
  {
    comesLate = false,
    ...bounds
  }: Partial<SlowClientBounds> & { comesLate?: boolean } = {},
) {
  const made = createResults();
  const streams = createStreams();
  const slowClients = createSlowClientGuard({ maxSendingBytes: 67_108_864, ...bounds });
  const { send } = createSender({ ...CONTEXT, slowClients });
  const { url, [Symbol.asyncDispose]: stop } = await serve((request, response) => {
    const headers = toStreamHeaders(format);
    const answer = () =>
      send(
        { id: 'r', request, replacedBody: null, response },
        {
          status: 200,
          headers,
          body: (writer) =>
            sendResults(made.results, format, writer, { response, streams }),
        },
        'none',
      );
    if (comesLate) response.once('close', answer);
    else answer();
  });
  return {
    ...made,
    url,
    streams,
    async [Symbol.asyncDispose]() {
      await stop();
      slowClients.stop();
    },
  };
}

/** A server of such streams, and a client that reads one. */
async function start(format = EVENTS, bounds: Partial<SlowClientBounds> = {}) {
  const { url, [Symbol.asyncDispose]: stop, ...made } = await startServer(format, bounds);
  const socket = connectTo(url);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  let text = '';
  socket.on('data', (part) => {
    text += part;
  });
  await expect.poll(() => text).toContain(format.start);
  return {
    ...made,
    url,
    socket,
    text: () => text,
    async [Symbol.asyncDispose]() {
      socket.destroy();
      await stop();
    },
  };
}

test.each([
  ['an event stream', EVENTS, ':\n\n'],
  ['multipart', MULTIPART, '\r\n\r\n{}\r\n'],
])('a heartbeat comes every 12 seconds in %s', async (_, format, heartbeat) => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  await using server = await start(format);
  const beats = () => server.text().split(heartbeat).length - 1;
  expect(beats()).toBe(1);
  await vi.advanceTimersByTimeAsync(12_000);
  await expect.poll(beats).toBe(2);
  await vi.advanceTimersByTimeAsync(12_000);

  await expect.poll(beats).toBe(3);
  expect(server.taken()).toBe(1);
});

// security: unread-events
test('a result is taken only when the client has room for it', async () => {
  await using server = await start();
  server.socket.pause();
  const text = 'x'.repeat(65_536);
  // Until the buffers of both ends are full, so that a result that is sent makes no room for the next.
  for (let taken = -1; server.taken() > taken; ) {
    taken = server.taken();
    for (let tries = 0; tries < 20; tries += 1) {
      server.send({ text });
      await sleep(5);
    }
  }
  const before = server.taken();
  server.socket.resume();

  await expect.poll(server.taken).toBeGreaterThan(before);
});

// security: unread-events
test('a client that does not read is sent away in its time, however short the results', async () => {
  const slow: unknown[] = [];
  await using server = await start(EVENTS, {
    windowMs: 300,
    onSlow: ({ reason }) => slow.push(reason),
  });
  server.socket.pause();
  // Some 20 MB, more than the buffers of both ends hold.
  for (let count = 0; count < 400; count += 1) server.send({ text: 'x'.repeat(50_000) });

  await expect.poll(() => server.ends).toContain('left');
  expect(slow).toEqual(['time']);
});

describe('a client that does not read a long result', () => {
  // security: unread-events
  test.each([
    ['in its time', 'time', { windowMs: 300 }],
    ['when there is no room for another', 'room', { maxSendingBytes: 20_000_000 }],
  ])('is sent away: %s', async (_, reason, bounds) => {
    const slow: unknown[] = [];
    await using server = await start(EVENTS, {
      ...bounds,
      onSlow: (client) => slow.push(client),
    });
    server.socket.pause();
    const other = connectTo(server.url).pause();
    other.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(server.taken).toBe(2);
    const text = 'x'.repeat(16_000_000);
    server.send({ text });
    server.send({ text });

    await expect.poll(() => server.ends).toContain('left');
    expect(slow[0]).toMatchObject({ requestId: 'r', reason });
    expect(slow[0]).toHaveProperty('bytes', expect.closeTo(16_000_000, -3));
    other.destroy();
  });

  test('but reads slowly gets it whole, and no heartbeat within', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    await using server = await start();
    server.socket.pause();
    const text = 'x'.repeat(16_000_000);
    server.send({ text });
    await sleep(50);
    await vi.advanceTimersByTimeAsync(12_000);
    server.socket.resume();

    await expect.poll(() => server.text().length).toBeGreaterThan(16_000_000);
    const body = server.text().replaceAll(/\r\n[\da-f]*\r\n/g, '');
    expect(body.includes(`data: {"data":{"text":"${text}"}}\n\n`)).toBe(true);
  });
});

test('a client that is sent away loses its connection, without complete', async () => {
  await using server = await start();
  server.overrun();
  await once(server.socket, 'close');

  expect(server.text()).not.toContain('complete');
  await expect.poll(() => server.ends).toContain('left');
});

// security: leaving-clients
test('when the client has left before the results begin, they end and nothing is kept', async () => {
  await using server = await startServer(EVENTS, { comesLate: true });
  const socket = connectTo(server.url);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n', () => socket.destroy());

  await expect.poll(() => server.ends).toContain('left');
  await expect.poll(server.streams.counts).toEqual(createStreams().counts());
});

test('streams that are closed end one after the other, without complete; later ones end at once', async () => {
  await using server = await start();
  const addStream = (close: () => void) =>
    server.streams.add({ transport: 'sse', close, destroy() {} });
  let closed = 0;
  for (let count = 0; count < 20; count += 1) {
    addStream(() => {
      closed += 1;
    });
  }
  const closing = server.streams.close({ mostMs: 200 });
  expect(closed).toBe(0);
  await closing;
  await expect.poll(server.text).toContain('0\r\n\r\n');

  expect(server.text()).not.toContain('complete');
  expect(server.ends[0]).toBe('drained');
  expect(closed).toBe(20);
  let isClosed = false;
  addStream(() => {
    isClosed = true;
  });
  expect(isClosed).toBe(true);
});

describe('multipart', () => {
  test('each result is a payload of its own part, which is read as soon as it was sent', async () => {
    await using server = await start(MULTIPART);
    server.send({ a: 'one\r\n--graphql' });
    await expect
      .poll(server.text)
      .toContain('{"payload":{"data":{"a":"one\\r\\n--graphql"}}}\r\n--graphql');
    server.finish();

    await expect.poll(server.text).toMatch(/--graphql\r\n[\da-f]+\r\n--\r\n/);
    expect(server.text()).toMatch(
      /content-type: multipart\/mixed; boundary="graphql"; subscriptionSpec="1.0"/,
    );
  });

  test('a stream that is closed ends with an error of the transport', async () => {
    await using server = await start(MULTIPART);
    await server.streams.close({ mostMs: 0 });

    await expect
      .poll(server.text)
      .toMatch(
        /\{"payload":null,"errors":\[\{.*"SERVICE_RESTART".*\}\]\}\r\n--graphql--\r\n/,
      );
  });
});
