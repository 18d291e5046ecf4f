import { once } from 'node:events';
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSender } from '../../src/http/send-answer.ts';
import {
  createSlowClientGuard,
  type SlowClientBounds,
} from '../../src/http/slow-clients.ts';
import { CONTEXT, connectTo, serve } from '../support/http.ts';

/** More than the buffers of a connection over the loopback hold. */
const LENGTH = 12_000_000;

/** An answer that is sent at once, if the connection takes it. */
const SHORT_LENGTH = 60_000;

/** Starts a server whose answers to everybody are long, short at `/short`, and share their bytes at `/file`. */
async function startServer(bounds: SlowClientBounds) {
  const file = Buffer.alloc(LENGTH, 'x');
  const bodies: Readonly<Record<string, string | Buffer>> = {
    '/': 'x'.repeat(LENGTH),
    '/short': 'x'.repeat(SHORT_LENGTH),
    '/file': file,
  };
  const slowClients = createSlowClientGuard(bounds);
  const { send } = createSender({ ...CONTEXT, slowClients });
  const {
    server,
    url,
    [Symbol.asyncDispose]: stop,
  } = await serve((request, response) => {
    const body = bodies[request.url ?? ''] ?? '';
    send(
      { id: 'r', request, replacedBody: null, response },
      { status: 200, body },
      'none',
    );
  });
  const open = async (): Promise<number> =>
    new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
  return {
    url: `${url}/`,
    open,
    /** Asks `times` times, and reads nothing until `resume` is called. */
    async ask(path = '/', times = 1): Promise<Socket> {
      const socket = connectTo(url).pause();
      await once(socket, 'connect');
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(times));
      return socket;
    },
    async [Symbol.asyncDispose]() {
      await stop();
      slowClients.stop();
    },
  };
}

describe('a client that does not read its answer', () => {
  // security: unread-answers, unread-files
  test.each([
    ['its answer is long', '/', 1],
    ['each of its answers is short', '/short', LENGTH / SHORT_LENGTH],
    ['its answer is a file', '/file', 1],
  ])('is sent away after a while: %s', async (_, path, times) => {
    await using server = await startServer({
      maxSendingBytes: 10 * LENGTH,
      windowMs: 300,
    });

    const sockets = [await server.ask(path, times), await server.ask(path, times)];

    await expect.poll(server.open).toBe(2);
    await expect.poll(server.open).toBe(0);
    for (const socket of sockets) socket.destroy();
  });

  // security: unread-answers
  test('is sent away too if it reads a little now and then', async () => {
    await using server = await startServer({
      maxSendingBytes: 10 * LENGTH,
      windowMs: 600,
    });
    const socket = await server.ask();
    const trickle = setInterval(() => socket.read(1), 50);

    await expect.poll(server.open).toBe(0);

    clearInterval(trickle);
    socket.destroy();
  });
});

// security: unread-answers
test('a client that reads slowly, but reads, gets its whole answer', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const windowMs = 30_000;
  await using server = await startServer({ maxSendingBytes: 10 * LENGTH, windowMs });
  const socket = await server.ask();
  let received = 0;
  let passed = 0;

  // In each window it reads 3 MB, which is four windows for all.
  for (let chunk = 0; received < LENGTH && chunk < 5000; chunk += 1) {
    const data: Buffer | null = socket.read();
    received += data?.length ?? 0;
    await sleep(1);
    for (; passed < Math.floor(received / 500_000); passed += 1)
      vi.advanceTimersByTime(windowMs / 6);
  }

  expect(received).toBeGreaterThanOrEqual(LENGTH);
  socket.destroy();
});

// security: unread-files
test('files take no room: each client gets its own, however many are on their way', async () => {
  await using server = await startServer({ maxSendingBytes: 1.5 * LENGTH });

  const sockets = [await server.ask('/file'), await server.ask('/file')];
  const read = await fetch(`${server.url}file`);

  expect(await read.text()).toHaveLength(LENGTH);
  expect(await server.open()).toBeGreaterThanOrEqual(2);
  for (const socket of sockets) socket.destroy();
});

test('answers that are made in one phase of the event loop are sent together, at its end', async () => {
  const slowClients = createSlowClientGuard({ maxSendingBytes: 1 });
  const { send } = createSender({ ...CONTEXT, slowClients });
  const steps: string[] = [];
  const sent = ['first', 'second'].map(async (name, index) => {
    const request = { headers: {}, complete: true } as IncomingMessage;
    const response = Object.assign(new ServerResponse(request), {
      end: () => steps.push(`sent ${name}`),
    });
    // The second takes longer, but no other phase.
    for (let left = 20 * index; left > 0; left -= 1) await null;
    steps.push(`made ${name}`);
    const exchange = { id: name, request, replacedBody: null, response };
    send(exchange, { status: 200, body: '' }, 'none');
    await new Promise(setImmediate);
  });
  await Promise.all(sent);
  slowClients.stop();

  expect(steps).toEqual(['made first', 'made second', 'sent first', 'sent second']);
});
