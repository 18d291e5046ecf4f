import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answers, DEFAULT_ANSWERS } from '../../src/embedded/answers.ts';
import { startTestGateway } from '../support/gateway.ts';
import { arbitraryMutation } from './arbitrary/operation.ts';
import { requiredCoverage } from './model/coverage.ts';
import { expectSameState, runOperation } from './model/run.ts';
import { openService, readInitialState, stopClock } from './model/service.ts';
import { openTwin } from './model/twin.ts';
import { runParameters, timeoutFor, UNLIMITED } from './runs.ts';

/** Cases for each service. A case is one to four operations. */
const CASES = 12;
/** The salt of the first service. The random cases of `npm test` cover everything with it, so that no further ones are needed. */
const FIRST = 84;

type Service = [env: Record<string, string>, answers: Partial<Answers>];

const SERVICES: Service[] = [
  [{ PAGING: 'limit', LIST_ORDER: 'newest' }, {}],
  [
    { PAGING: 'starting_after', TIMESTAMP_UNIT: 'seconds', LIST_ORDER: 'oldest' },
    {
      paging: 'starting_after',
      order: 'oldest',
      reactions: 'add',
      bothIds: 'both',
      archived: 'frozen',
      unknownId: 410,
      deleteStatus: 204,
    },
  ],
  [
    { PAGING: 'offset', LIST_ORDER: 'newest' },
    {
      paging: 'offset',
      timestampUnit: 'microseconds',
      bothIds: 'refuse',
      deleteBody: 'text',
      errorFormat: 'empty',
    },
  ],
];

/** Everything that the mutations have exercised, over all services. */
const covered = new Set<string>();

test.each(SERVICES)(
  'every valid mutation is sent once, has its effect alone and returns the state right after it: settings %j, service %j',
  (env, answers) =>
    tryMutations([env, answers], FIRST + SERVICES.findIndex(([each]) => each === env)),
  timeoutFor(runParameters(CASES).numRuns),
);

/** A change of the schema changes all random cases. They may then miss something that more of them reach. */
const MORE_ROUNDS = 9;

test(
  'the random mutations covered every field, input variant, outcome and effect',
  async () => {
    const missing = () => requiredCoverage().filter((one) => !covered.has(one));
    for (let round = 1; round <= MORE_ROUNDS; round += 1)
      for (const [index, service] of SERVICES.entries())
        if (missing().length > 0)
          await tryMutations(service, FIRST + round * SERVICES.length + index);

    expect(missing()).toEqual([]);
  },
  MORE_ROUNDS * SERVICES.length * timeoutFor(runParameters(CASES).numRuns),
);

async function tryMutations([env, answers]: Service, salt: number): Promise<void> {
  const { timestampUnit } = { ...DEFAULT_ANSWERS, ...answers };
  const isUnitConfigured = 'TIMESTAMP_UNIT' in env;
  const newestEnd = env.LIST_ORDER === 'oldest' ? 'tail' : 'head';
  const viewer = 'grace';
  const known = { timestampUnit, isUnitConfigured, viewer, newestEnd } as const;
  using _clock = stopClock();
  const initial = await readInitialState(env, answers);
  const operation = arbitraryMutation(initial.world);
  const operations = fc.array(operation, { minLength: 1, maxLength: 4 });

  await fc.assert(
    fc.asyncProperty(operations, async (operations) => {
      await using service = await openService(initial);
      await using twin = await openTwin(initial, isUnitConfigured);
      const settings = { ...UNLIMITED, ...env };
      await using gateway = await startTestGateway(service.url, settings);
      const run = { service, gateway, twin, known, covered };
      for (const operation of operations) await runOperation(operation, run);
      await expectSameState(run);
    }),
    runParameters(CASES, salt),
  );
}
