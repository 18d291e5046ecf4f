import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Answers } from '../../src/embedded/answers.ts';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { type GraphqlAnswer, startTestGateway } from '../support/gateway.ts';
import { arbitraryOperation } from './arbitrary/operation.ts';
import type { Operation } from './arbitrary/print-operation.ts';
import { learnCursors } from './oracle/learn-cursors.ts';
import { schema } from './oracle/schema.ts';
import { readWorld, type World } from './oracle/world.ts';
import { patienceFor, runsOf } from './runs.ts';

/** Operations in front of each service. */
const RUNS = runsOf(120);
/** Low enough for some operations to be refused. */
const MAX_REST_CALLS = 10;

const SERVICES: [Record<string, string>, Partial<Answers>][] = [
  [{ PAGING: 'limit' }, { paging: 'none' }],
  [{ PAGING: 'starting_after' }, { paging: 'starting_after', order: 'oldest' }],
  [{ PAGING: 'offset' }, { paging: 'offset' }],
  [{ PAGING: 'page' }, { paging: 'page' }],
  [{ PAGING: 'limit' }, { maxLimit: 20, aboveMaxLimit: 422 }],
  [{ PAGING: 'starting_after' }, { paging: 'starting_after', maxLimit: 15 }],
  [
    { PAGING: 'offset', MAX_LIMIT: '7' },
    { paging: 'offset', maxLimit: 7 },
  ],
];

const UNLIMITED = { MAX_CALLS_PER_LIST: '1000', MAX_REST_CALLS: '1000' };

interface Cost {
  readonly estimated: number;
  readonly actual: number;
}

describe.each(SERVICES)('with %j in front of %j', (env, answers) => {
  test(
    'an operation makes no more calls than its price, and none if that is above the limit',
    async () => {
      let calls = 0;
      const onCall = () => {
        calls += 1;
      };
      await using service = await startEmbeddedService({ answers, onCall });
      await using gateway = await startTestGateway(service.url, {
        MAX_REST_CALLS: String(MAX_REST_CALLS),
        REST_RETRIES: '0',
        ...env,
      });
      const token = service.sampleUsers[0]?.token ?? '';
      const world = await readUncapped(env, answers, token);
      const codes = new Set<string | undefined>();

      await fc.assert(
        fc.asyncProperty(arbitraryOperation(schema, world), async (operation) => {
          calls = 0;
          const { code, cost, fieldCodes } = await askPrice(
            gateway.url,
            operation,
            token,
          );
          codes.add(code);

          if (code === 'OPERATION_TOO_COSTLY') {
            expect(calls).toBe(0);
            expect(cost.estimated).toBeGreaterThan(MAX_REST_CALLS);
            return;
          }
          expect(calls).toBeLessThanOrEqual(cost.estimated);
          expect(calls).toBe(cost.actual);
          expect(cost.estimated).toBeLessThanOrEqual(MAX_REST_CALLS);
          // The price was enough: only lists may end early, and say so in their own way.
          expect(fieldCodes).not.toContain('OPERATION_TOO_COSTLY');
        }),
        RUNS,
      );
      expect(codes).toContain('OPERATION_TOO_COSTLY');
      expect(codes).toContain(undefined);
    },
    patienceFor(RUNS.numRuns),
  );
});

/** The same data and cursors as the service in question has, from one that gives all at once. */
async function readUncapped(
  { PAGING }: Record<string, string>,
  answers: Partial<Answers>,
  token: string,
): Promise<World> {
  const uncapped = { ...answers, maxLimit: null };
  await using service = await startEmbeddedService({ answers: uncapped });
  await using gateway = await startTestGateway(service.url, { PAGING, ...UNLIMITED });
  const world = await readWorld(service.url, token);
  await learnCursors(world, gateway, token);
  return world;
}

/** Asks an operation, and what it costs. */
async function askPrice(url: string, operation: Operation, token: string) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ ...operation, extensions: { cost: true } }),
  });
  const { errors, extensions } = (await response.json()) as GraphqlAnswer & {
    extensions?: { cost: Cost };
  };
  const [error] = errors ?? [];
  const isRefused = response.status !== 200;
  const cost = (isRefused ? error?.extensions.cost : extensions?.cost) as Cost;
  const fieldCodes = isRefused
    ? []
    : (errors ?? []).map(({ extensions: { code } }) => code);
  return { code: isRefused ? error?.extensions.code : undefined, cost, fieldCodes };
}
