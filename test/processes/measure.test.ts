import { expect, test } from 'vitest';
import { measure } from '../../bench/performance/measure.ts';
import { openSession } from '../../bench/performance/session.ts';
import { floor, gateway, type Target } from '../../bench/performance/targets.ts';
import { findWorkload, WORKLOADS } from '../../bench/performance/workloads.ts';
import { serve } from '../support/http.ts';

const OPTIONS = {
  acceptEncodings: ['', 'gzip, deflate, br'],
  say: () => {},
  plan: {
    restarts: 1,
    rounds: 1,
    sliceMs: 20,
    warmUp: { maxOperations: 1, maxMs: 1000 },
    maxMs: 60_000,
    atEqualRates: true,
  },
};

test('the gateway and the floor answer alike, with exactly the calls of each workload', async () => {
  await using session = await openSession();

  const { conditions, figures, costs } = await measure(session, {
    ...OPTIONS,
    targets: [gateway(), floor],
    workloads: WORKLOADS,
  });

  // Without pauses, and at one share of the slowest's rate, or three of the mix: each twice, compressed and not.
  expect(conditions).toHaveLength(2 * (7 + 6 + 3));
  for (const { slices, memory } of figures) {
    for (const condition of conditions)
      expect(slices.get(condition)?.cpu[0]).toBeGreaterThan(0);
    expect(memory[0]).toBeGreaterThan(10);
  }
  expect(costs.service).toBeGreaterThan(0);
}, 120_000);

test.each([
  ['an answer that differs', { __typename: 'Mutation' }, 'W0', 'answer differently'],
  [
    'a gateway that makes fewer calls than the workload needs',
    { conversation: null },
    'W4',
    '0 REST calls for 10 operations, not 10',
  ],
])('a run stops at %s', async (_, data, name, reason) => {
  await using session = await openSession();
  // Answers every operation alike, and calls no service.
  await using fixed = await serve((request, response) => {
    request.resume().on('end', () => response.end(JSON.stringify({ data })));
  });
  const running = { pid: process.pid, url: fixed.url, errors: [], stop: async () => {} };
  const other: Target = { ...gateway(), name: 'fixed', start: async () => running };

  const run = measure(session, {
    ...OPTIONS,
    targets: name === 'W0' ? [floor, other] : [other],
    workloads: [findWorkload(name)],
  });

  await expect(run).rejects.toThrow(reason);
});
