import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answers, DEFAULT_ANSWERS } from '../../src/embedded/answers.ts';
import { arbitraryQuery } from './arbitrary/operation.ts';
import { compare, WHICH_SIDE } from './oracle/compare.ts';
import { expectedAnswer } from './oracle/oracle.ts';
import { fieldsBelow, queryType } from './oracle/schema.ts';
import { startSystem } from './oracle/system.ts';
import { type Position, readKey } from './oracle/world.ts';
import { runParameters, timeoutFor, UNLIMITED } from './runs.ts';

/** Queries for each service. */
const QUERIES = 20;

const SERVICES: [env: Record<string, string>, answers: Partial<Answers>][] = [
  [{ PAGING: 'limit' }, { paging: 'none' }],
  [{}, { paging: 'none' }],
  [{}, { paging: 'starting_after', unknownCursor: 'first', order: 'oldest' }],
  [{}, { paging: 'offset' }],
  [
    { PAGING: 'starting_after', TIMESTAMP_UNIT: 'seconds' },
    { paging: 'starting_after', order: 'oldest' },
  ],
  [
    { PAGING: 'offset', TIMESTAMP_UNIT: 'milliseconds' },
    { paging: 'offset', timestampUnit: 'milliseconds' },
  ],
  [
    { PAGING: 'page', LIST_ORDER: 'oldest' },
    { paging: 'page', timestampUnit: 'microseconds', order: 'oldest' },
  ],
];

/** Every field that was resolved, over all services. */
const covered = new Set<string>();

// security: forged-node-id
test.each(SERVICES)(
  'every valid query gets the answer computed from the data, errors included: settings %j, service %j',
  async (env, answers) => {
    await using system = await startSystem({ ...UNLIMITED, ...env }, answers);
    const { gateway, token, viewer, world } = system;
    const { timestampUnit, order } = { ...DEFAULT_ANSWERS, ...answers };
    const unit = { timestampUnit, isUnitConfigured: 'TIMESTAMP_UNIT' in env };
    const isOldestFirst = (env.LIST_ORDER ?? order) === 'oldest';
    const newestEnd = isOldestFirst ? 'tail' : 'head';
    const known = { ...unit, viewer, newestEnd } as const;
    await fc.assert(
      fc.asyncProperty(arbitraryQuery(world), async (operation) => {
        const { query, variables } = operation;
        const predicted = await expectedAnswer(operation, { world, ...known });
        for (const field of predicted.fields) covered.add(field);
        const answer = await gateway.ask(query, { token, variables });
        const { expected, actual, cursors } = compare(predicted, answer);
        expect(actual, WHICH_SIDE).toBe(expected);

        // A cursor is right if the pages after and before it hold its item's neighbours.
        for (const [cursor, position] of [cursors[0], cursors.at(-1)].filter(isDefined)) {
          const withThis = new Map([...world.cursors, [cursor, position]]);
          const neighbours = queryNeighbours(cursor, position);
          const options = { world: { ...world, cursors: withThis }, ...known };
          const pages = compare(
            await expectedAnswer(neighbours, options),
            await gateway.ask(neighbours.query, { ...neighbours, token }),
          );
          expect(pages.actual, WHICH_SIDE).toBe(pages.expected);
        }
      }),
      runParameters(
        QUERIES,
        SERVICES.findIndex(([each]) => each === env),
      ),
    );
  },
  timeoutFor(runParameters(QUERIES).numRuns),
);

test('the random queries covered every field', () => {
  expect([...covered].toSorted()).toEqual(fieldsBelow(queryType).toSorted());
});

const isDefined = <T>(value: T | undefined): value is T => value !== undefined;

/** Asks for the two items after a cursor and the two before it. */
function queryNeighbours(cursor: string, { list }: Position) {
  const [kind, filters] = readKey(list);
  const names = Object.keys(filters);
  const declared = names.map(
    (name) => `$${name}: ${/Id$/.test(name) ? 'ID' : 'Boolean'}`,
  );
  const given = names.map((name) => `${name}: $${name}`).join(', ');
  return {
    query: `query ($cursor: String, ${declared.join(', ')}) {
      next: ${kind}(${given}, first: 2, after: $cursor) { edges { cursor node { id } } pageInfo { hasNextPage } }
      previous: ${kind}(${given}, last: 2, before: $cursor) { edges { cursor node { id } } pageInfo { hasPreviousPage } }
    }`,
    variables: { cursor, ...filters },
  };
}
