import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Answers } from '../../src/embedded/answers.ts';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { startTestGateway } from '../support/gateway.ts';
import { arbitraryOperation } from './arbitrary/operation.ts';
import { compare } from './oracle/compare.ts';
import { learnCursors } from './oracle/learn-cursors.ts';
import { expectAnswer } from './oracle/oracle.ts';
import { fieldsBelow, queryType, schema } from './oracle/schema.ts';
import { type Place, readWorld } from './oracle/world.ts';
import { patienceFor, runsOf } from './runs.ts';

/** Operations in front of each service. */
const RUNS = runsOf(120);

const UNLIMITED = { MAX_CALLS_PER_LIST: '1000', MAX_REST_CALLS: '100000' };
const SERVICES: [
  Record<string, string>,
  Partial<Answers>,
  perMillisecond: number | null,
][] = [
  [{ PAGING: 'limit' }, { paging: 'none' }, null],
  [
    { PAGING: 'starting_after', TIMESTAMP_UNIT: 'seconds' },
    { paging: 'starting_after', order: 'oldest' },
    0.001,
  ],
  [
    { PAGING: 'offset', TIMESTAMP_UNIT: 'milliseconds' },
    { paging: 'offset', timestampUnit: 'milliseconds' },
    1,
  ],
  [
    { PAGING: 'page', TIMESTAMP_UNIT: 'microseconds' },
    { paging: 'page', timestampUnit: 'microseconds', order: 'id' },
    1000,
  ],
];

describe.each(SERVICES)('with %j in front of %j', (env, answers, perMillisecond) => {
  test(
    'every valid query is answered as the data of the service says, errors included',
    async () => {
      await using service = await startEmbeddedService({ answers });
      await using gateway = await startTestGateway(service.url, { ...UNLIMITED, ...env });
      const token = service.sampleUsers[0]?.token ?? '';
      const world = await readWorld(service.url, token);
      await learnCursors(world, gateway, token);
      const fields = new Set<string>();

      await fc.assert(
        fc.asyncProperty(arbitraryOperation(schema, world), async (operation) => {
          const { query, variables } = operation;
          const due = expectAnswer(operation, { world, perMillisecond });
          for (const field of due.fields) fields.add(field);
          const answer = await gateway.ask(query, { token, variables });
          const { expected, actual, cursors } = compare(due, answer);
          expect(actual).toBe(expected);

          // Every cursor lies where it says: asked beside it, both ways, its neighbours come.
          for (const [cursor, place] of [cursors[0], cursors.at(-1)].filter(isThere)) {
            const places = new Map([...world.places, [cursor, place]]);
            const beside = askBeside(cursor, place);
            const around = await gateway.ask(beside.query, { ...beside, token });
            const truth = { world: { ...world, places }, perMillisecond };
            const neighbours = compare(expectAnswer(beside, truth), around);
            expect(neighbours.actual).toBe(neighbours.expected);
          }
        }),
        RUNS,
      );
      expect([...fields].toSorted()).toEqual(fieldsBelow(queryType).toSorted());
    },
    patienceFor(RUNS.numRuns),
  );
});

const isThere = <T>(value: T | undefined): value is T => value !== undefined;

/** The two items behind a cursor and the two in front of it. */
function askBeside(cursor: string, { list }: Place) {
  const [kind, ...filters] = JSON.parse(list);
  const names =
    kind === 'messages' ? ['conversationId'] : ['muted', 'archived', 'pinned', 'groupId'];
  const declared = names.map(
    (name) => `$${name}: ${/Id$/.test(name) ? 'ID' : 'Boolean'}`,
  );
  const given = names.map((name) => `${name}: $${name}`).join(', ');
  return {
    query: `query ($cursor: String, ${declared.join(', ')}) {
      behind: ${kind}(${given}, first: 2, after: $cursor) { edges { cursor node { id } } pageInfo { hasNextPage } }
      inFront: ${kind}(${given}, last: 2, before: $cursor) { edges { cursor node { id } } pageInfo { hasPreviousPage } }
    }`,
    variables: {
      cursor,
      ...Object.fromEntries(names.map((name, index) => [name, filters[index]])),
    },
  };
}
