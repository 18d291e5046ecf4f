import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createOperationTime } from '../../src/callers/time-limit.ts';
import { createDrain } from '../../src/http/drain.ts';
import { IncomingOperation } from '../../src/http/incoming-operation.ts';
import { createStreams } from '../../src/http/streams.ts';
import { startTestGateway } from '../support/gateway.ts';
import { NOWHERE, openConnection, serve, toPost } from '../support/http.ts';

test('a stop takes no longer than its time, although more comes when that is up', async () => {
  const begun: string[] = [];
  await using http = await serve(({ url = '' }) => {
    begun.push(url);
    drain.begin();
  });
  const { server } = http;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  const drain = createDrain(
    {
      close,
      closeAllConnections: () => server.closeAllConnections(),
      isReading: () => false,
    },
    createStreams(),
  );
  const first = fetch(`${http.url}/first`).catch(() => 'cut off');
  await expect.poll(() => begun).toEqual(['/first']);

  const finished = drain.finish({ graceMs: 100, lingerMs: 1000 });
  expect(await first).toBe('cut off');
  const second = fetch(`${http.url}/second`).catch(() => 'cut off');

  await finished;
  expect(await second).toBe('cut off');
}, 10_000);

test('what has come before a stop is answered, also of connections that were not accepted yet', async () => {
  await using gateway = await startTestGateway(NOWHERE);
  const open = Array.from({ length: 40 }, () => openConnection(gateway.url));
  const clients = await Promise.all(open);
  for (const { socket } of clients)
    socket.write(toPost(`{ __typename } # ${'x'.repeat(10_000)}`));
  await gateway.close();

  await expect.poll(() => clients.every((client) => client.isClosed())).toBe(true);
  const statuses = clients.flatMap((client) => client.statuses());
  expect(statuses).toEqual(Array(40).fill('200'));
});

/** A stop of a server without connections, and whether it has closed its port. */
function startStop() {
  let isClosed = false;
  const server = {
    async close() {
      isClosed = true;
    },
    closeAllConnections() {},
    isReading: () => false,
  };
  const drain = createDrain(server, createStreams());
  return {
    ...drain,
    isClosed: () => isClosed,
    stop: () => drain.finish({ graceMs: 60_000, lingerMs: 0 }),
  };
}

test('a stop is over when the last client has read its answer, long before its time is up', async () => {
  const { begin, answered, end, stop, isClosed } = startStop();
  const operations = [begin(), begin()] as const;

  const stopped = stop();
  let isOver = false;
  void stopped.then(() => {
    isOver = true;
  });
  answered(operations[0]);
  await sleep(200);
  expect(isClosed()).toBe(false);
  answered(operations[1]);
  await expect.poll(isClosed).toBe(true);
  end(operations[0]);
  await sleep(200);
  expect(isOver).toBe(false);
  end(operations[1]);

  await stopped;
}, 3000);

test('a stop closes the port when what came before it is answered, whatever comes meanwhile', async () => {
  const { begin, answered, end, stop, isClosed } = startStop();
  const before = begin();
  const stopped = stop();
  await new Promise(setImmediate);
  const meanwhile = begin();

  answered(before);
  end(before);

  await expect.poll(isClosed).toBe(true);
  answered(meanwhile);
  end(meanwhile);
  await stopped;
}, 3000);

test.each([
  ['its client reads the answer', ['answered', 'end']],
  ['its client leaves first', ['end', 'answered']],
  ['its body was refused, and the answer is sent', ['answered', 'answered', 'end']],
  ['a host closes its response twice', ['answered', 'end', 'end']],
] as const)(
  'an operation is waited for once: %s',
  async (_, steps) => {
    const { stop, isClosed, ...drain } = startStop();
    const context = { operationTime: createOperationTime(60_000), drain };
    const [operation, other] = [
      new IncomingOperation(context),
      new IncomingOperation(context),
    ];

    for (const step of steps) operation[step]();
    const stopped = stop();
    await sleep(200);
    expect(isClosed()).toBe(false);
    other.end();
    await stopped;
  },
  3000,
);
