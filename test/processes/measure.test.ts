import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { measure } from '../../bench/performance/measure.ts';
import { openSession, type Session } from '../../bench/performance/session.ts';
import { floor, gateway, type Target } from '../../bench/performance/targets.ts';
import { findWorkload, WORKLOADS } from '../../bench/performance/workloads.ts';

const PLAN = {
  restarts: 1,
  rounds: 1,
  sliceMs: 10,
  evenMs: 20,
  warmUp: { maxOperations: 1, maxMs: 1000 },
  latencyMs: 100,
};
const quiet = () => {};

let session: Session;
const started: AsyncDisposable[] = [];
afterEach(async () => {
  await session.stop();
  for (const one of started.splice(0)) await one[Symbol.asyncDispose]();
});

test('the gateway and the floor answer alike, with exactly the calls of each workload', async () => {
  session = await openSession();

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

/** A gateway in this process that answers every operation with the same body, and calls no service. */
async function startFixed(data: object): Promise<Target> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end(JSON.stringify({ data })));
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  started.push(server);
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const running = {
    pid: process.pid,
    url,

    errors: [],
    stop: async () => {},
  };
  return {
    ...gateway(),
    name: 'fixed',
    hasExactCalls: false,
    start: async () => running,
  };
}

test('a run stops at an answer that differs', async () => {
  session = await openSession();
  const other = await startFixed({ __typename: 'Mutation' });

  const run = measure(session, [floor, other], [findWorkload('W0')], PLAN, quiet);

  await expect(run).rejects.toThrow('answer differently');
});

test('a run stops at a gateway that makes fewer calls than the workload needs', async () => {
  session = await openSession();
  const other = { ...(await startFixed({ conversation: null })), hasExactCalls: true };

  const run = measure(session, [other], [findWorkload('W4')], PLAN, quiet);

  await expect(run).rejects.toThrow('0 REST calls for 32 operations, not 1 for each');
});
