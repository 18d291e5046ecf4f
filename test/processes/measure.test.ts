import { expect, test } from 'vitest';
import { measure } from '../../bench/performance/measure.ts';
import { openSession } from '../../bench/performance/session.ts';
import { floor, gateway, type Target } from '../../bench/performance/targets.ts';
import { findWorkload, WORKLOADS } from '../../bench/performance/workloads.ts';
import { serve } from '../support/http.ts';

const PLAN = {
  restarts: 1,
  rounds: 1,
  sliceMs: 10,
  evenMs: 20,
  warmUp: { maxOperations: 1, maxMs: 1000 },
  latencyMs: 100,
};
const quiet = () => {};

async function openTestSession() {
  const session = await openSession();
  return Object.assign(session, { [Symbol.asyncDispose]: () => session.stop() });
}

test('the gateway and the floor answer alike, with exactly the calls of each workload', async () => {
  await using session = await openTestSession();

  const { figures, costs } = await measure(
    session,
    [gateway(), floor],
    WORKLOADS,
    PLAN,
    quiet,
  );

  for (const { cpu, evenCpu, calls, memory, latency } of figures) {
    expect([...calls.values()]).toEqual([0, 11, 2, 16, 1, 1]);
    expect([...cpu.values()].flat().every((ms) => ms > 0)).toBe(true);
    expect([...evenCpu.keys()]).toEqual(['W0', 'W1', 'W2', 'W3', 'W4', 'W5']);
    expect(memory[0]).toBeGreaterThan(10);
    expect([...latency.keys()]).toEqual(['W1', 'W4']);
  }
  expect(costs.service).toBeGreaterThan(0);
}, 120_000);

test.each([
  ['an answer that differs', { __typename: 'Mutation' }, 'W0', 'answer differently'],
  [
    'a gateway that makes fewer calls than the workload needs',
    { conversation: null },
    'W4',
    '0 REST calls for 32 operations, not 1 for each',
  ],
])('a run stops at %s', async (_what, data, name, reason) => {
  await using session = await openTestSession();
  // Answers every operation alike, and calls no service.
  await using fixed = await serve((request, response) => {
    request.resume().on('end', () => response.end(JSON.stringify({ data })));
  });
  const running = { pid: process.pid, url: fixed.url, errors: [], stop: async () => {} };
  const other: Target = { ...gateway(), name: 'fixed', start: async () => running };
  const targets = name === 'W0' ? [floor, { ...other, hasExactCalls: false }] : [other];

  const run = measure(session, targets, [findWorkload(name)], PLAN, quiet);

  await expect(run).rejects.toThrow(reason);
});
