import { expect, onTestFinished, test, vi } from 'vitest';
import { createWorkerTotals } from '../../src/cluster/totals.ts';
import type { WorkerProcess } from '../../src/cluster/worker-process.ts';

test('the metrics of all workers do not wait for one that ends', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const toWorker = () => ({ send() {} }) as unknown as WorkerProcess;
  const [ending, kept] = [toWorker(), toWorker()];
  const totals = createWorkerTotals(() => [ending, kept]);
  const text = totals.text();

  totals.take(kept, []);
  expect(vi.getTimerCount()).toBe(1);
  totals.ended(ending);

  expect(vi.getTimerCount()).toBe(0);
  expect(await text).toContain('gateway_worker_ends_total 1');
});
