import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Answers } from '../../src/embedded/answers.ts';
import { arbitraryMutation } from './arbitrary/operation.ts';
import { carryOut, expectHeld } from './model/carry-out.ts';
import { stopClock } from './model/clock.ts';
import { everything } from './model/coverage.ts';
import { createModel } from './model/model.ts';
import { openScene, readBeginning } from './model/scene.ts';
import { schema } from './oracle/schema.ts';
import { patienceFor, runsOf } from './runs.ts';

/** In front of each service; a case is a few operations. */
const CASES = 28;

const SERVICES: [
  Record<string, string>,
  Partial<Answers>,
  perMillisecond: number | null,
][] = [
  [{ PAGING: 'limit' }, {}, null],
  [
    { PAGING: 'starting_after', TIMESTAMP_UNIT: 'seconds' },
    {
      paging: 'starting_after',
      order: 'oldest',
      reactions: 'add',
      bothIds: 'both',
      archived: 'frozen',
      unknownId: 410,
      deleteStatus: 204,
    },
    0.001,
  ],
  [
    { PAGING: 'offset', TIMESTAMP_UNIT: 'microseconds' },
    {
      paging: 'offset',
      order: 'id',
      timestampUnit: 'microseconds',
      bothIds: 'refuse',
      deleteBody: 'text',
      errorFormat: 'empty',
    },
    1000,
  ],
];

/** What has been exercised in front of all of them. */
const seen = new Set<string>();

describe.each(SERVICES)('with %j in front of %j', (env, answers, perMillisecond) => {
  test(
    'every valid mutation does once what it says, and its payload shows what is true right after it',
    async () => {
      const runs = runsOf(
        CASES,
        SERVICES.findIndex(([each]) => each === env),
      );
      using _clock = stopClock();
      const beginning = await readBeginning(env, answers);
      const { world } = beginning;
      const operations = fc.array(arbitraryMutation(schema, world), {
        minLength: 1,
        maxLength: 4,
      });

      await fc.assert(
        fc.asyncProperty(operations, async (operations) => {
          await using scene = await openScene(beginning);
          const model = createModel({ world, answers, username: scene.username });
          const stage = { scene, model, perMillisecond, seen };
          for (const operation of operations) await carryOut(operation, stage);
          await expectHeld(stage);
        }),
        runs,
      );
    },
    patienceFor(runsOf(CASES).numRuns),
  );
});

test('so did every mutation, every way to give its input, every end it can take and every field below it', () => {
  expect(everything().filter((one) => !seen.has(one))).toEqual([]);
});
