import { test } from 'vitest';
import { startWorkers } from '../support/workers.ts';

/** Above the 20 seconds for which a worker may be silent. */
const NOTICED_MS = 110_000;

// security: ended-worker
test.concurrent('a worker that hangs is killed and replaced, and one that is busy is not', async ({
  expect,
}) => {
  await using gateway = await startWorkers();
  const [hanging = 0, busy = 0] = gateway.workers();

  process.kill(hanging, 'SIGSTOP');
  process.kill(busy, 'SIGSTOP');
  setTimeout(() => process.kill(busy, 'SIGCONT'), 6000);
  await expect
    .poll(() => gateway.workers(), { timeout: NOTICED_MS })
    .not.toContain(hanging);
  await expect.poll(() => gateway.workers().length, { timeout: NOTICED_MS }).toBe(2);
  const { data } = await gateway.ask('{ message(id: "m1") { message } }');

  expect(data).toEqual({ message: { message: 'text m1' } });
  expect(gateway.workers()).toContain(busy);
  const errors = () => gateway.entries().filter(({ level }) => level === 50);
  // Lines wait for others, to be written together.
  await expect.poll(() => errors().length).toBe(2);
  expect(errors()).toEqual([
    expect.objectContaining({
      pid: hanging,
      msg: 'a worker does not answer, and is killed',
    }),
    expect.objectContaining({ pid: hanging, how: 'SIGKILL', waitMs: 0 }),
  ]);
}, 300_000);

// security: ended-worker
test.concurrent('a replacement that hangs while it starts is killed and replaced, too', async ({
  expect,
}) => {
  await using gateway = await startWorkers();
  const before = gateway.workers();
  const added = () => gateway.workers().filter((pid) => !before.includes(pid));
  process.kill(before[0] ?? 0, 'SIGKILL');
  await expect.poll(added, { interval: 5 }).toHaveLength(1);
  const [hanging = 0] = added();

  process.kill(hanging, 'SIGSTOP');
  await expect.poll(added, { timeout: NOTICED_MS }).not.toContain(hanging);
  await expect.poll(added, { timeout: NOTICED_MS }).toHaveLength(1);

  const messages = () => gateway.entries().map(({ msg }) => msg);
  await expect.poll(messages).toContain('a worker could not start');
  expect(messages()).toContain('a worker does not answer, and is killed');
}, 300_000);
