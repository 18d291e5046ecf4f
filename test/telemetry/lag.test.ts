import { expect, test } from 'vitest';
import { createLagMonitor } from '../../src/telemetry/lag.ts';

function blockEventLoop(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
const tick = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('the event loop is lagging after it was blocked twice in a row, until it recovers', async () => {
  const monitor = createLagMonitor();

  await tick(10);
  blockEventLoop(1700);
  await tick(0);
  const once = monitor.isLagging();
  blockEventLoop(1700);
  await tick(0);
  const twice = monitor.isLagging();
  await tick(600);
  const later = monitor.isLagging();
  monitor.stop();

  expect([once, twice, later]).toEqual([false, true, false]);
}, 20_000);
