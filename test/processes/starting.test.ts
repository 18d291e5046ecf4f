import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { childrenOf, LAUNCHER, run } from '../support/command.ts';
import { startWorkers } from '../support/workers.ts';

test('a SIGTERM while a worker is being replaced ends all at once', async () => {
  // A worker may take longer to stop than any test.
  await using gateway = await startWorkers({
    env: { OPERATION_TIMEOUT_MS: '2147483647' },
  });
  const before = gateway.workers();
  process.kill(before[0] ?? 0, 'SIGKILL');
  await expect
    .poll(() => gateway.workers().some((pid) => !before.includes(pid)), { interval: 5 })
    .toBe(true);

  gateway.child.kill('SIGTERM');

  expect(await gateway.exit()).toBe(0);
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s to all processes while they start ends them with status 0 and without a word',
  async (signal) => {
    await using gateway = run([LAUNCHER], { WORKERS: '2' }, process.execPath, {
      detached: true,
    });
    const pid = gateway.child.pid ?? Number.NaN;
    // As soon as there is a worker, which has no handler of signals yet.
    while (childrenOf(pid).length === 0) await setImmediate();

    process.kill(-pid, signal);

    expect(await gateway.exit()).toBe(0);
    expect(gateway.errors).toEqual([]);
  },
);

test('a process that cannot be started ends the start with status 1 and the reason', async () => {
  // Enough files for the first process and some workers.
  const words = [
    '--norc',
    '-c',
    'ulimit -n 48; exec "$0" "$1"',
    process.execPath,
    LAUNCHER,
  ];
  await using gateway = run(words, { WORKERS: '64' }, 'bash');

  expect(await gateway.exit()).toBe(1);
  expect(gateway.errors).toEqual([expect.stringMatching(/^spawn .*EMFILE$/)]);
});
