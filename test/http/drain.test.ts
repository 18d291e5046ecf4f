import { expect, test } from 'vitest';
import { createDrain } from '../../src/http/drain.ts';
import { createStreams } from '../../src/http/streams.ts';
import { serve } from '../support/http.ts';

test('a stop takes no longer than its time, although more comes when that is up', async () => {
  const begun: string[] = [];
  await using http = await serve(({ url = '' }) => {
    begun.push(url);
    drain.begin();
  });
  const { server } = http;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  const drain = createDrain(
    { close, closeAllConnections: () => server.closeAllConnections() },
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
