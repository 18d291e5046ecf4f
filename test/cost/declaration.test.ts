import { makeExecutableSchema } from '@graphql-tools/schema';
import { Kind, parse } from 'graphql';
import { expect, test } from 'vitest';
import { Budget } from '../../src/cost/budget.ts';
import { createCheck } from '../../src/cost/check.ts';
import { declareCosts, fetchById, WRITE } from '../../src/cost/declaration.ts';
import { createPlan } from '../../src/document/plan.ts';
import { createPrepare, type Prepared } from '../../src/document/prepare.ts';

/** A resource that the gateway does not have. */
const schema = makeExecutableSchema({
  typeDefs: `
    type Query {
      group(id: ID!): Group
      groups(first: Int!, parentId: ID): GroupConnection
    }
    type Mutation {
      createGroup(title: String!): Group
    }
    type Group {
      id: ID!
      title: String!
      successor: Group
      parent: Group
      children(first: Int!): GroupConnection
    }
    type GroupConnection {
      nodes: [Group]!
    }
  `,
});
declareCosts(schema, [
  {
    Query: {
      group: fetchById('Group'),
      groups: { kind: 'list', owner: { argument: 'parentId', type: 'Group' } },
    },
    Mutation: { createGroup: WRITE },
    Group: {
      successor: { kind: 'link', leadsBack: false },
      parent: { kind: 'link', leadsBack: true },
      children: { kind: 'list' },
    },
  },
]);

const check = createCheck({
  schema,
  maxCalls: 100,
  maxPageSize: 10,
  requestPage: ({ first }) => ({
    direction: 'forward',
    size: Number(first),
    cursor: null,
    cost: { expected: 1, slack: 0 },
  }),
});

function callsOf(query: string): number | undefined {
  const document = parse(query);
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation');
  const budget = new Budget();
  const prepared = createPrepare({ trusted: null, validate: () => [] })(
    document,
    '',
  ) as Prepared;
  const context = { budget, pages: new Map(), listQuota: { reservePriced() {} } };
  check(createPlan(schema, prepared, operation), {}, context);
  return budget.report()?.estimated;
}

test.each([
  ['an object', '{ group(id: "g1") { title } }', 1],
  ['an object, twice', '{ a: group(id: "g1") { id } b: group(id: "g1") { title } }', 1],
  ['a list', '{ groups(first: 5) { nodes { title } } }', 1],
  [
    'a list under a list',
    '{ groups(first: 5) { nodes { children(first: 2) { nodes { id } } } } }',
    6,
  ],
  ['a link', '{ group(id: "g1") { successor { title } } }', 2],
  [
    'a link of which only the id is selected',
    '{ group(id: "g1") { successor { id } } }',
    1,
  ],
  ['a link under a list', '{ groups(first: 5) { nodes { successor { title } } } }', 6],
  [
    'a link back',
    '{ group(id: "g1") { children(first: 5) { nodes { parent { title } } } } }',
    2,
  ],
  [
    'a link to the named owner',
    '{ groups(first: 5, parentId: "g1") { nodes { parent { title } } } }',
    2,
  ],
  [
    'a write, twice',
    'mutation { a: createGroup(title: "x") { title } b: createGroup(title: "x") { title } }',
    2,
  ],
])('a new resource is priced by the costs it declares: %s', (_what, query, calls) => {
  expect(callsOf(query)).toBe(calls);
});

test('a cost declared for a field that does not exist stops the start', () => {
  expect(() => declareCosts(schema, [{ Group: { colour: WRITE } }])).toThrow(
    'The schema has no Group.colour.',
  );
});
