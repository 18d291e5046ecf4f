import { expect, test } from 'vitest';
import { Budget } from '../../src/cost/budget.ts';
import { type Checkable, createCheck } from '../../src/cost/check.ts';
import { declareCosts, WRITE } from '../../src/cost/declaration.ts';
import { resources } from '../../src/messaging/index.ts';
import { toNodeId } from '../../src/resolvers/node-id.ts';
import { createSchema } from '../../src/resolvers/schema.ts';
import { planOf } from '../support/plan.ts';

const gateway = createSchema(resources);
type Variables = Record<string, unknown>;

/** What the requests for one operation are priced at, one after the other: calls, and the sizes of pages. */
function pricesOf(query: string, requests: readonly Variables[]) {
  const check = createCheck({
    schema: gateway,
    maxCalls: 100,
    maxPageSize: 10,
    requestPage: ({ first = 10 }) => ({
      isForward: true,
      size: Number(first),
      cursor: null,
      isNewestFirst: false,
      cost: { expected: 1, slack: 0 },
    }),
  });
  const plan = planOf(gateway, query);
  return requests.map((variables) => {
    const budget = new Budget();
    const context: Checkable = {
      budget,
      pages: new Map(),
      listQuota: { reservePriced() {} },
    };
    const checked = check(plan, variables, context);
    const pages = [...context.pages.values()];
    return {
      price: 'price' in checked ? checked.price : null,
      calls: budget.report()?.estimated,
      sizes: pages.map((page) => ('size' in page ? page.size : null)),
    };
  });
}

test('a cost declared for a field that does not exist stops the start', () => {
  expect(() => declareCosts(gateway, [{ Message: { colour: WRITE } }])).toThrow(
    'The schema has no Message.colour.',
  );
});

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
])('a price that is known is not that of another request: %s', (_, query, cases) => {
  const sent = [...cases, ...cases, ...cases];
  const requests = sent.map(([variables]) => variables);
  const prices = pricesOf(query, requests);
  expect(prices.map(({ calls }) => calls)).toEqual(sent.map(([, calls]) => calls));
});

test('a price that is known for one type of an object does not keep the page of another type', () => {
  const query = `query ($id: ID!, $first: Int) { node(nodeId: $id) {
    ... on Message { message }
    ... on Conversation { messages(first: $first) { nodes { id } } }
  } }`;
  const prices = pricesOf(query, [
    { id: message },
    { id: conversation, first: 1 },
    { id: conversation, first: 5 },
  ]);

  expect(prices.map(({ sizes }) => sizes)).toEqual([[], [1], [5]]);
});

test('the price of a repeated write is worked out once with a key, and once without', () => {
  const query =
    'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { id } } }';
  const input = { conversationId: 'c1', message: 'x' };
  const prices = pricesOf(
    query,
    [undefined, 'k', undefined, 'k2'].map((clientMutationId) => ({
      input: { ...input, clientMutationId },
    })),
  ).map(({ price }) => price);

  expect(prices[0]).not.toBeNull();
  expect(prices[2]).toBe(prices[0]);
  expect(prices[3]).toBe(prices[1]);
});
