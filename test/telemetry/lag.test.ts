import { expect, test } from 'vitest';
import { createLagMonitor } from '../../src/telemetry/lag.ts';

/** Blocks the event loop, as too much work does. */
function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
const tick = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('a loop that stays blocked for more than a second is lagging, until it is not', async () => {
  const monitor = createLagMonitor();

  await tick(10);
  block(1700);
  await tick(0);
  const once = monitor.isLagging();
  block(1700);
  await tick(0);
  const twice = monitor.isLagging();
  await tick(600);
  const later = monitor.isLagging();
  monitor.stop();

  expect([once, twice, later]).toEqual([false, true, false]);
}, 20_000);
