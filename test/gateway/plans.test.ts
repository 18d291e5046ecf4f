import { expect, test } from 'vitest';
import { type GraphqlAnswer, startTestGateway } from '../support/gateway.ts';
import { post } from '../support/http.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireConversation } from '../support/wire.ts';

/** A's operation has conditions; those of B use the same names for ids. */
const conditionsOfA = ['x', 'y', 'z']
  .map((name) => `${name}: conversation(id: "1") @skip(if: $${name}) { id }`)
  .join(' ');
const operationA = `query A($x: Boolean!, $y: Boolean!, $z: Boolean!) { ${conditionsOfA} }`;
const READS = `${operationA}
  query B($x: ID!, $y: Boolean!, $z: ID!) {
    m: message(id: $x) { id } n: message(id: $z) { id }
    secret: conversations(first: 1) @include(if: $y) { nodes { id } }
  }`;
const WRITES = `${operationA}
  mutation B($x: ID!, $y: Boolean!, $z: ID!) {
    m: updateMessage(input: { id: $x, message: "m" }) { message { id } }
    n: updateMessage(input: { id: $z, message: "n" }) { message { id } }
    secret: deleteConversation(input: { id: "c1" }) @include(if: $y) { deletedConversationId }
  }`;

test.each([
  ['query', READS, 'GET /v1/conversations?limit=1'],
  ['mutation', WRITES, 'DELETE /v1/conversations/c1'],
])(
  'a field that a %s excludes stays excluded, whatever other requests for the document included',
  async (_what, query, line) => {
    await using upstream = await startUpstream({
      'GET /v1/conversations?limit=1': {
        has_more: false,
        data: [wireConversation('c1')],
      },
      'DELETE /v1/conversations/c1': {},
    });
    await using gateway = await startTestGateway(upstream.url);
    const send = async (token: string, variables: object) => {
      const body = { query, operationName: 'B', variables };
      const response = await post(gateway.url, body, {
        authorization: `Bearer ${token}`,
      });
      return (await response.json()) as GraphqlAnswer;
    };

    await send('ann-token', { x: 'q', y: false, z: 'r' });
    for (let count = 0; count < 3; count += 1)
      await send('ann-token', { x: 'a', y: true, z: 'b,false,c' });
    const included = upstream.lines().filter((one) => one === line).length;
    const { data } = await send('bob-token', { x: 'a,true,b', y: false, z: 'c' });

    expect(Object.keys(data)).toEqual(['m', 'n']);
    expect(included).toBe(3);
    expect(upstream.lines().filter((one) => one === line)).toHaveLength(included);
  },
);

test('a value that cannot become text is sent like any other, whatever another operation does with its name', async () => {
  await using upstream = await startUpstream({});
  await using gateway = await startTestGateway(upstream.url);
  const body = {
    query: `query A($on: Boolean!) { a: __typename @include(if: $on) }
      mutation B($on: JSON!) {
        sendMessage(input: { conversationId: "c", message: "m", attachments: [$on] }) { message { id } }
      }`,
    operationName: 'B',
    variables: { on: { toString: 1, valueOf: 1 } },
  };

  for (let count = 0; count < 3; count += 1) {
    const response = await post(gateway.url, body, { authorization: 'Bearer t' });
    const { errors } = (await response.json()) as GraphqlAnswer;
    expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  }

  expect(upstream.lines()).toEqual(Array(3).fill('POST /v1/messages'));
});

test('an invalid mutation is not carried out, whatever stands beside it', async () => {
  await using upstream = await startUpstream({});
  await using gateway = await startTestGateway(upstream.url);
  const write = 'deleteConversation(input: { id: "c1" })';

  const { status, errors } = await gateway.ask(
    `mutation { ${write} { deletedConversationId } ${write} }`,
  );

  expect(status).toBe(400);
  expect(errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  expect(upstream.calls).toEqual([]);
});

test('a selection stays where it was sent', async () => {
  await using upstream = await startUpstream({});
  await using gateway = await startTestGateway(upstream.url);

  const { errors } = await gateway.ask(
    '{ message(id: "m") { id contact { username } id id { id } } }',
  );

  expect(errors?.map(({ message }) => message)).toEqual([
    'Field "id" must not have a selection since type "ID!" has no subfields.',
  ]);
});
