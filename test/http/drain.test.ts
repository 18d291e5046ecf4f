import { expect, test } from 'vitest';
import { createDrain } from '../../src/http/drain.ts';
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
