import { expect, test } from 'vitest';
import { toNodeId } from '../../src/resolvers/node-id.ts';
import { startTestGateway } from '../support/gateway.ts';
import { post } from '../support/http.ts';
import { startUpstream } from '../support/upstream.ts';

/** What each request is estimated to cost, sent one after the other: a price that is remembered must not be that of another request. */
async function estimates(
  query: string,
  requests: readonly Record<string, unknown>[],
): Promise<unknown[]> {
  await using upstream = await startUpstream({});
  await using gateway = await startTestGateway(upstream.url);
  const found: unknown[] = [];
  for (const variables of requests) {
    const body = { query, variables, extensions: { cost: true } };
    const response = await post(gateway.url, body, { authorization: 'Bearer t' });
    const { extensions, errors } = (await response.json()) as {
      extensions?: { cost?: { estimated: number } };
      errors?: { extensions: { code: string; cost?: { estimated: number } } }[];
    };
    found.push(extensions?.cost?.estimated ?? errors?.[0]?.extensions.cost?.estimated);
  }
  return found;
}

const threeTimes = <T>(items: readonly T[]): T[] => [...items, ...items, ...items];

test.each<[string, string, [Record<string, unknown>, number][]]>([
  [
    'one object',
    'query ($id: ID!) { message(id: $id) { id message conversation { id isMuted } } }',
    [
      [{ id: 'm1' }, 2],
      [{ id: 'm2' }, 2],
    ],
  ],
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
      [{ ids: [toNodeId('Message', 'm1')] }, 1],
      [{ ids: [toNodeId('Message', 'm1'), toNodeId('Message', 'm2')] }, 2],
    ],
  ],
  [
    'an object of either type',
    'query ($id: ID!) { node(nodeId: $id) { ... on Message { message conversation { isMuted } } ... on Conversation { isMuted } } }',
    [
      [{ id: toNodeId('Message', 'm1') }, 2],
      [{ id: toNodeId('Conversation', 'c1') }, 1],
      [{ id: 'junk' }, 0],
      ...Array.from({ length: 6 }, (_, i): [Record<string, unknown>, number] => [
        { id: toNodeId(`Type${i}` as 'Message', 'x') },
        0,
      ]),
    ],
  ],
  [
    'a page of any size below an object',
    'query ($id: ID!, $first: Int) { conversation(id: $id) { isMuted messages(first: $first) { nodes { conversation { isMuted } pinned: conversation { pinnedMessage { message } } } } } }',
    [
      [{ id: 'c1', first: 1 }, 3],
      [{ id: 'c1', first: 5 }, 3],
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
])('each request costs what it asks for: %s', async (_name, query, cases) => {
  const expected = threeTimes(cases.map(([, calls]) => calls));
  const requests = threeTimes(cases.map(([variables]) => variables));
  expect(await estimates(query, requests)).toEqual(expected);
});
