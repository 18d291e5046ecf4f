import { expect, test } from 'vitest';
import { reads, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { MARGIN } from '../support/measured.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

test('reactions in 30,000 objects are merged in linear time', async () => {
  const reactions = Array.from({ length: 30_000 }, (_, i) => ({ heart: [`u${i}`] }));
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1', { reactions }),
  });
  await using gateway = await startTestGateway(upstream.url);
  const began = performance.now();

  const { data } = await gateway.ask(
    '{ message(id: "m1") { reactions { name count } } }',
  );

  expect(data.message.reactions).toEqual([{ name: 'heart', count: 30_000 }]);
  // In quadratic time it took half a minute.
  expect(performance.now() - began).toBeLessThan(MARGIN * 1500);
});

/** How long reads of so many messages keep the processor busy. Unit: microseconds. */
async function cpuOf(
  gateway: TestGateway,
  count: number,
  { token = 'warm', errors }: { token?: string; errors: number },
): Promise<number> {
  const query = reads(count);
  await gateway.ask(query, { token: 'warm' });
  const before = process.cpuUsage();
  expect((await gateway.ask(query, { token })).errors ?? []).toHaveLength(errors);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

// security: long-error-pages
test('a long error page costs the same with a percent sign as without, since no error shows it', async () => {
  const measure = async (page: string) => {
    await using upstream = await startUpstream(() => ({ status: 404, body: page }));
    await using gateway = await startTestGateway(upstream.url);
    return await cpuOf(gateway, 200, { errors: 0 });
  };
  const page = 'x'.repeat(65_536);

  const plain = await measure(page);
  const encoded = await measure(`${page.slice(1)}%`);

  // Searching each page for every encoding of the token would cost more than ten times as much.
  expect(encoded).toBeLessThan(MARGIN * 2 * plain);
});

// security: long-error-pages
test('long error pages cost the same with a long token that they nearly repeat as with a short one', async () => {
  const page = `${'a'.repeat(8190)}${'b'.repeat(5000)}`;
  await using upstream = await startUpstream(() => ({ status: 403, body: page }));
  await using gateway = await startTestGateway(upstream.url);

  const short = await cpuOf(gateway, 40, { token: 'short', errors: 40 });
  const long = await cpuOf(gateway, 40, { token: `${'a'.repeat(8000)}c`, errors: 40 });

  // Looking for the token at one place after another would cost more than fifty times as much.
  expect(long).toBeLessThan(MARGIN * 4 * short);
});
