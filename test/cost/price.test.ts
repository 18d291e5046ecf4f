import { makeExecutableSchema } from '@graphql-tools/schema';
import type { GraphQLSchema } from 'graphql';
import { expect, test } from 'vitest';
import { Budget } from '../../src/cost/budget.ts';
import { type Checkable, createCheck } from '../../src/cost/check.ts';
import { declareCosts, fetchById, WRITE } from '../../src/cost/declaration.ts';
import { resources } from '../../src/messaging/index.ts';
import { toNodeId } from '../../src/resolvers/node-id.ts';
import { createSchema } from '../../src/resolvers/schema.ts';
import { planOf } from '../support/plan.ts';

type Variables = Record<string, unknown>;

/** What the requests for one operation are priced at, one after the other: calls, and the sizes of pages. */
function pricesOf(schema: GraphQLSchema, query: string, requests: readonly Variables[]) {
  const check = createCheck({
    schema,
    maxCalls: 100,
    maxPageSize: 10,
    requestPage: ({ first = 10 }) => ({
      isForward: true,
      size: Number(first),
      cursor: null,
      cost: { expected: 1, slack: 0 },
    }),
  });
  const plan = planOf(schema, query);
  return requests.map((variables) => {
    const budget = new Budget();
    const context: Checkable = {
      budget,
      pages: new Map(),
      listQuota: { reservePriced() {} },
    };
    check(plan, variables, context);
    const pages = [...context.pages.values()];
    return {
      calls: budget.report()?.estimated,
      sizes: pages.map((page) => ('size' in page ? page.size : null)),
    };
  });
}

const callsOf = (...asked: Parameters<typeof pricesOf>) =>
  pricesOf(...asked).map(({ calls }) => calls);

/** A resource that the gateway does not have. */
const groups = makeExecutableSchema({
  typeDefs: `
    type Query { group(id: ID!): Group  groups(first: Int!, parentId: ID): GroupConnection }
    type Mutation { createGroup(title: String!): Group }
    type Group { id: ID!  title: String!  successor: Group  parent: Group  children(first: Int!): GroupConnection }
    type GroupConnection { nodes: [Group]!  edges: [GroupEdge!]! }
    type GroupEdge { node: Group }
  `,
});
declareCosts(groups, [
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

test.each([
  ['an object, twice', '{ a: group(id: "g") { id } b: group(id: "g") { title } }', 1],
  [
    'a list under a list',
    '{ groups(first: 5) { nodes { children(first: 2) { nodes { id } } } } }',
    6,
  ],
  ['a link', '{ groups(first: 5) { nodes { successor { title } } } }', 6],
  [
    'a link of the same items under nodes and under edges',
    '{ groups(first: 5) { nodes { successor { title } } edges { node { successor { title } } } } }',
    6,
  ],
  [
    'a link of which only the id is selected',
    '{ group(id: "g") { successor { id } } }',
    1,
  ],
  [
    'a link back',
    '{ group(id: "g") { children(first: 5) { nodes { parent { title } } } } }',
    2,
  ],
  [
    'a link to the named owner',
    '{ groups(first: 5, parentId: "g") { nodes { parent { title } } } }',
    2,
  ],
  [
    'a write, twice',
    'mutation { a: createGroup(title: "x") { title } b: createGroup(title: "x") { title } }',
    2,
  ],
])('a new resource is priced by the costs it declares: %s', (_what, query, calls) => {
  expect(callsOf(groups, query, [{}])).toEqual([calls]);
});

test('a cost declared for a field that does not exist stops the start', () => {
  expect(() => declareCosts(groups, [{ Group: { colour: WRITE } }])).toThrow(
    'The schema has no Group.colour.',
  );
});

const gateway = createSchema(resources);
const [message, conversation] = (['Message', 'Conversation'] as const).map((type) =>
  toNodeId(type, 'x'),
);

test.each<[string, string, [Variables, number][]]>([
  [
    'two objects, or one',
    'query ($a: ID!, $b: ID!) { a: message(id: $a) { message } b: message(id: $b) { message } }',
    [
      [{ a: 'm1', b: 'm2' }, 2],
      [{ a: 'm1', b: 'm1' }, 1],
    ],
  ],
  [
    'a variable, and the same object by name',
    'query ($id: ID!) { a: message(id: $id) { message } b: message(id: "m1") { message } }',
    [
      [{ id: 'm1' }, 1],
      [{ id: 'm2' }, 2],
    ],
  ],
  [
    'objects of a list of ids',
    'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { ... on Message { message } } }',
    [
      [{ ids: [message] }, 1],
      [{ ids: [message, toNodeId('Message', 'y')] }, 2],
    ],
  ],
  [
    'an object of either type',
    'query ($id: ID!) { node(nodeId: $id) { ... on Message { message conversation { isMuted } } ... on Conversation { isMuted } } }',
    [
      [{ id: message }, 2],
      [{ id: conversation }, 1],
      [{ id: 'junk' }, 0],
      [{ id: toNodeId('Other' as 'Message', 'x') }, 0],
    ],
  ],
  [
    'what a condition selects',
    'query ($id: ID!, $deep: Boolean!) { message(id: $id) { message conversation @include(if: $deep) { isMuted } } }',
    [
      [{ id: 'm1', deep: false }, 1],
      [{ id: 'm1', deep: true }, 2],
    ],
  ],
])('a price that is known is not that of another request: %s', (_name, query, cases) => {
  const sent = [...cases, ...cases, ...cases];
  const requests = sent.map(([variables]) => variables);
  expect(callsOf(gateway, query, requests)).toEqual(sent.map(([, calls]) => calls));
});

test('a price that is known for one type of an object does not keep the page of another type', () => {
  const query = `query ($id: ID!, $first: Int) { node(nodeId: $id) {
    ... on Message { message }
    ... on Conversation { messages(first: $first) { nodes { id } } }
  } }`;
  const prices = pricesOf(gateway, query, [
    { id: message },
    { id: conversation, first: 1 },
    { id: conversation, first: 5 },
  ]);

  expect(prices.map(({ sizes }) => sizes)).toEqual([[], [1], [5]]);
});
