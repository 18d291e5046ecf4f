import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Answers } from '../../src/embedded/answers.ts';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { type GraphqlAnswer, startTestGateway } from '../support/gateway.ts';
import { arbitraryQuery } from './arbitrary/operation.ts';
import { startSystem } from './oracle/system.ts';
import { runParameters, timeoutFor, UNLIMITED } from './runs.ts';

/** Queries for each service. */
const QUERIES = 20;
/** Low enough that the gateway refuses some operations. */
const MAX_REST_CALLS = 10;

const SERVICES: [env: Record<string, string>, answers: Partial<Answers>][] = [
  [{ PAGING: 'limit' }, { paging: 'none' }],
  [{ PAGING: 'starting_after' }, { paging: 'starting_after', order: 'oldest' }],
  [{ PAGING: 'offset' }, { paging: 'offset' }],
  [{ PAGING: 'page' }, { paging: 'page' }],
  [{ PAGING: 'limit' }, { maxLimit: 20, aboveMaxLimit: 422 }],
  [{ PAGING: 'starting_after' }, { paging: 'starting_after', maxLimit: 15 }],
  [{ PAGING: 'auto' }, { paging: 'starting_after', maxLimit: 15 }],
  [{ PAGING: 'auto' }, { paging: 'page' }],
  [{ PAGING: 'auto' }, { maxLimit: 20, aboveMaxLimit: 422 }],
  [
    { PAGING: 'offset', MAX_LIMIT: '7' },
    { paging: 'offset', maxLimit: 7 },
  ],
];

/** How the operations ended, over all services; undefined: well. */
const codes = new Set<string | undefined>();

// security: costly-query
test.each(SERVICES)(
  'an operation makes as many calls as its explanation says, no more than its price, and none if that is above the limit: settings %j, service %j',
  async (env, answers) => {
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
    // A service with the same data that does not cap `limit`.
    const uncapped = { ...answers, maxLimit: null };
    const settings = { ...UNLIMITED, PAGING: env.PAGING };
    await using system = await startSystem(settings, uncapped);
    const { token, world } = system;

    await fc.assert(
      fc.asyncProperty(arbitraryQuery(world), async ({ query, variables }) => {
        calls = 0;
        const asked = { token, variables, extensions: { explain: true } };
        const { extensions: { explain = null } = {} } = await gateway.ask(query, asked);
        expect(calls).toBe(0);
        const extensions = { cost: true };
        const answer = await gateway.ask(query, { token, variables, extensions });
        const { code, cost, fieldCodes } = readCost(answer);
        codes.add(code);

        if (code === 'OPERATION_TOO_COSTLY') {
          expect(calls).toBe(0);
          expect(cost.estimated).toBeGreaterThan(MAX_REST_CALLS);
          return;
        }
        expect(calls).toBeLessThanOrEqual(cost.estimated);
        expect(calls).toBe(cost.actual);
        expect(calls).toBeLessThanOrEqual(explain.most);
        expect(cost.estimated).toBe(Math.min(explain.most, MAX_REST_CALLS));
        // A field that is refused for its arguments makes no call.
        if (!fieldCodes.includes('BAD_USER_INPUT'))
          expect(calls).toBeGreaterThanOrEqual(explain.least);
        expect(cost.estimated).toBeLessThanOrEqual(MAX_REST_CALLS);
        // Only lists may end early for lack of calls, with a code of their own.
        expect(fieldCodes).not.toContain('OPERATION_TOO_COSTLY');
      }),
      runParameters(
        QUERIES,
        SERVICES.findIndex(([each]) => each === env),
      ),
    );
  },
  timeoutFor(runParameters(QUERIES).numRuns),
);

test('some operations were refused, and some were not', () => {
  expect(codes).toContain('OPERATION_TOO_COSTLY');
  expect(codes).toContain(undefined);
});

interface Cost {
  readonly estimated: number;
  readonly actual: number;
}

/** The code of a refused operation, the operation's cost, and the codes of its fields. */
function readCost({ status, errors = [], extensions }: GraphqlAnswer) {
  const codes = errors.map(({ extensions: { code } }) => code);
  if (status === 200) {
    return { code: undefined, cost: extensions.cost as Cost, fieldCodes: codes };
  }
  return {
    code: codes[0],
    cost: errors[0]?.extensions.cost as Cost,
    fieldCodes: [] as string[],
  };
}
