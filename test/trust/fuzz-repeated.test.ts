import fc from 'fast-check';
import { expect, test } from 'vitest';
import { post } from '../support/http.ts';
import { broken, withAnyVariables } from './arbitrary/junk.ts';
import { arbitraryQuery } from './arbitrary/operation.ts';
import type { Operation } from './arbitrary/print-operation.ts';
import { type System, startSystem } from './oracle/system.ts';
import { runParameters, timeoutFor } from './runs.ts';

/** Each is sent this often: for the first time Apollo Server plans it, later the kept plan runs. */
const TIMES = 100;
/** One for twenty of the other properties, which send each operation once. */
const GIVEN = runParameters(100);
const RUNS = { ...GIVEN, numRuns: Math.ceil(GIVEN.numRuns / 20) };
const TIMEOUT_MS = timeoutFor(RUNS.numRuns * TIMES);

/** The bytes of an answer: its status, its headers in their order, but for the date, and its body. */
async function send({ gateway, token }: System, operation: Operation): Promise<string> {
  const response = await post(gateway.url, operation, {
    authorization: `Bearer ${token}`,
    'x-request-id': 'r1',
  });
  const headers = [...response.headers].filter(([name]) => name !== 'date');
  return JSON.stringify([response.status, headers, await response.text()]);
}

test.each([
  ['valid', (system: System) => arbitraryQuery(system.world)],
  [
    'with any variables',
    (system: System) => withAnyVariables(arbitraryQuery(system.world)),
  ],
  ['broken', (system: System) => broken(arbitraryQuery(system.world))],
])(
  'an operation that is sent a hundred times gets the same bytes each time: %s',
  async (_what, arbitrary) => {
    await using system = await startSystem();

    await fc.assert(
      fc.asyncProperty(arbitrary(system), async (operation) => {
        const first = await send(system, operation);
        for (let time = 1; time < TIMES; time += 1)
          expect(await send(system, operation)).toBe(first);
      }),
      RUNS,
    );
  },
  TIMEOUT_MS,
);
