import { getIntrospectionQuery } from 'graphql';
import { describe, expect, test } from 'vitest';
import {
  askOnce,
  type GraphqlAnswer,
  repeat,
  startScripted,
  startTestGateway,
} from '../support/gateway.ts';
import { NOWHERE, post } from '../support/http.ts';

/** Nested fields that make no call. */
const levels = (depth: number): string =>
  `{ __type(name: "ID") { ${'ofType { '.repeat(depth - 2)} name ${'}'.repeat(depth)}`;

const aliases = (count: number): string =>
  repeat(count, (index) => `a${index}: __typename`);

/** Fragments `F0` to `F<count>`; each spreads the next one `times` times, and the last one selects `last`. */
const chain = ({ count, times, last }: { count: number; times: number; last: string }) =>
  `${repeat(count, (index) => `fragment F${index} on Query { ${`...F${index + 1} `.repeat(times)} }`)}
   fragment F${count} on Query { ${last} }`;

/** Fragments `F0` to `F540`, each of which nests the next one four levels deeper. */
const NESTED_FRAGMENTS = `${repeat(
  540,
  (index) =>
    `fragment F${index} on Conversation { messages { nodes { conversation { ...F${index + 1} id } } } }`,
)} fragment F540 on Conversation { id }`;

/** The introspection query of tools, as a fragment. */
const WHOLE_SCHEMA = getIntrospectionQuery()
  .replace(/query \w+ \{\s*__schema/, 'fragment S on __Schema')
  .replace(/\}\s*\}\s*fragment FullType/, '} fragment FullType');

const introspections = (times: number, fragmentS: string): string =>
  `{ ${repeat(times, (index) => `s${index}: __schema { ...S }`)} } ${fragmentS}`;

/** Sends documents to one gateway, one after the other. */
async function send(...documents: string[]) {
  await using gateway = await startTestGateway(NOWHERE);
  const answers = [];
  for (const document of documents) {
    const { status, data, errors } = await gateway.ask(document, {
      token: null,
      headers: { accept: 'application/graphql-response+json' },
    });
    answers.push({ status, data, code: errors?.[0]?.extensions.code, errors });
  }
  return answers;
}

/** Spreads this many inline fragments of one field 24 times; they are not merged. */
const manySelections = (fields: number) =>
  `{ ${repeat(24, (n) => `a${n}: __schema { ...F }`)} } fragment F on __Schema { ${repeat(fields, () => '...{__typename}')} }`;

describe('a document', () => {
  // security: repeated-introspection, spread-fragments
  test.each([
    ['thirty levels', levels(30), levels(31), 'DOCUMENT_TOO_DEEP'],
    [
      'a thousand aliases',
      `{ ${aliases(1000)} }`,
      `{ ${aliases(1001)} }`,
      'DOCUMENT_TOO_WIDE',
    ],
    [
      'a thousand aliases, counted at each spread',
      `{ ...F ...F ...F ...F } fragment F on Query { ${aliases(250)} }`,
      `{ ...F ...F ...F ...F } fragment F on Query { ${aliases(251)} }`,
      'DOCUMENT_TOO_WIDE',
    ],
    [
      '25,000 selections, counted at each spread',
      manySelections(519),
      manySelections(520),
      'DOCUMENT_TOO_WIDE',
    ],
    [
      'two hundred fragments inside one another',
      `{ ...F0 } ${chain({ count: 199, times: 1, last: '__typename' })}`,
      `{ ...F0 } ${chain({ count: 200, times: 1, last: '__typename' })}`,
      'DOCUMENT_TOO_DEEP',
    ],
    [
      'two hundred inline fragments inside one another',
      `{ ${'... { '.repeat(200)} __typename ${'}'.repeat(201)}`,
      `{ ${'... { '.repeat(201)} __typename ${'}'.repeat(202)}`,
      'DOCUMENT_TOO_DEEP',
    ],
    [
      'the names of the schema fifty times',
      introspections(50, 'fragment S on __Schema { types { name } }'),
      introspections(
        50,
        'fragment S on __Schema { types { name fields { name args { name } } } }',
      ),
      'OPERATION_TOO_COSTLY',
    ],
    [
      'the whole schema four times',
      introspections(4, WHOLE_SCHEMA),
      introspections(5, WHOLE_SCHEMA),
      'OPERATION_TOO_COSTLY',
    ],
    [
      'the schema for composers four times',
      `{ ${repeat(4, (i) => `s${i}: _service { sdl }`)} }`,
      `{ ${repeat(4, (i) => `s${i}: _service { sdl }`)} _service { a: sdl } }`,
      'OPERATION_TOO_COSTLY',
    ],
    [
      'the schema for composers four times in one field',
      `{ _service { ${repeat(4, (i) => `s${i}: sdl`)} } }`,
      `{ _service { ${repeat(5, (i) => `s${i}: sdl`)} } }`,
      'OPERATION_TOO_COSTLY',
    ],
  ])('may have %s, and no more', async (_, allowed, refused, code) => {
    const [good, bad] = await send(allowed, refused);

    expect(good).toMatchObject({ status: 200, errors: undefined });
    expect(bad).toMatchObject({ status: 400, data: undefined, code });
  });

  test.each([
    [
      'many tokens, 300 aliases, 15 levels',
      `{ ${aliases(299)} deep: ${levels(15).slice(1, -1)} ${'__typename '.repeat(500)} }`,
    ],
    ['10,000 tokens that repeat one field', `{ ${'__typename '.repeat(9990)} }`],
  ])('within the bounds is judged by its cost only: %s', async (_, document) => {
    const [answer] = await send(document);

    expect(answer).toMatchObject({ status: 200, errors: undefined });
  });

  test('of more than 10,000 tokens is refused while it is parsed', async () => {
    const [answer] = await send(`{ ${'__typename '.repeat(10_001)} }`);

    expect(answer).toMatchObject({ status: 400, code: 'GRAPHQL_PARSE_FAILED' });
    expect(answer?.errors?.[0]?.message).toContain('10000 tokens');
  });
});

// security: fragment-bomb
test.each([
  ['refused for its aliases', 'a: __typename', 400],
  ['answered, since it selects one field', '__typename', 200],
])(
  'fragments that double 150 times are not followed each: %s',
  async (_, last, status) => {
    const [answer] = await send(`{ ...F0 } ${chain({ count: 150, times: 2, last })}`);

    expect(answer?.status).toBe(status);
  },
);

// security: deep-document
test.each([
  ['fields', `${'{ a '.repeat(2400)} ${'}'.repeat(2400)}`],
  [
    'lists in the type of a variable',
    `query ($a: ${'['.repeat(4500)}ID${']'.repeat(4500)}) { a }`,
  ],
  ['lists in a value', `{ message(id: ${'['.repeat(4900)}${']'.repeat(4900)}) { id } }`],
  [
    'fragments that are compared',
    `{ conversation(id: "c") { ...F0 ...F1 } } ${NESTED_FRAGMENTS}`,
  ],
  ['fragments that are not used', `{ __typename } ${NESTED_FRAGMENTS}`],
])('no nesting overflows the stack: %s', async (_, document) => {
  const [answer] = await send(document);

  expect(answer?.status).toBe(400);
  // How deep the parser gets before its stack is full depends on what V8 has compiled.
  expect(answer?.errors?.[0]?.message).toMatch(/levels|nested too deep|cannot represent/);
});

test('nor do fields that are too deep to parse', async () => {
  // As many closing brackets would be too many tokens: if its stack has room, the parser misses them at the end.
  const [answer] = await send(`${'{ a '.repeat(4900)} ${'}'.repeat(100)}`);

  expect(answer?.status).toBe(400);
  expect(answer?.errors?.[0]?.message).toMatch(/nested too deep|found <EOF>/);
});

test('a cycle of fragments is one error', async () => {
  const cycle = repeat(
    600,
    (index) =>
      `fragment F${index} on Query { ...F${(index + 1) % 600} ...F${(index * 7) % 600} }`,
  );

  const [answer] = await send(`{ ...F0 } ${cycle}`);

  expect(answer?.code).toBe('GRAPHQL_VALIDATION_FAILED');
  expect(answer?.errors).toEqual([
    expect.objectContaining({
      message: expect.stringMatching(/^Cannot spread fragment "F\d+" within itself\.$/),
    }),
  ]);
});

// security: repeated-introspection
test('INTROSPECTION=false hides the schema, also in hints', async () => {
  await using gateway = await startTestGateway(NOWHERE, { INTROSPECTION: 'false' });
  const headers = { accept: '*/*' };

  const asked = await gateway.ask(getIntrospectionQuery(), { headers });
  const misspelt = await gateway.ask('{ mesage(id: "x") { id } }', { headers });
  const misspeltInput = await gateway.ask(
    'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { id } } }',
    { headers, variables: { input: { conversationId: 'c', mesage: 'x' } } },
  );

  expect(asked.status).toBe(400);
  expect(asked.errors?.[0]?.message).toContain('introspection is not allowed');
  expect(misspelt.errors).toHaveLength(1);
  expect(misspeltInput.errors?.at(-1)?.message).toMatch(
    /"mesage" is not defined by type "SendMessageInput"\.$/,
  );
  expect(JSON.stringify([misspelt, misspeltInput])).not.toContain('Did you mean');
});

describe('one document with several operations', () => {
  /** A's operation has conditions; those of B use the same names for ids. */
  const conditionsOfA = ['x', 'y', 'z']
    .map((name) => `${name}: conversation(id: "1") @skip(if: $${name}) { id }`)
    .join(' ');
  const operationA = `query A($x: Boolean!, $y: Boolean!, $z: Boolean!) { ${conditionsOfA} }`;
  const WRITES = `${operationA}
    mutation B($x: ID!, $y: Boolean!, $z: ID!) {
      m: updateMessage(input: { id: $x, message: "m" }) { message { id } }
      n: updateMessage(input: { id: $z, message: "n" }) { message { id } }
      secret: deleteConversation(input: { id: "c1" }) @include(if: $y) { deletedConversationId }
    }`;

  const sendB = async (url: string, query: string, token: string, variables: object) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await post(url, { query, operationName: 'B', variables }, headers);
    return (await response.json()) as GraphqlAnswer;
  };

  // security: variables-of-another
  test('a write that an operation excludes stays excluded, whatever other requests for the document included', async () => {
    const line = 'DELETE /v1/conversations/c1';
    await using gateway = await startScripted({ [line]: {} });
    const { url, service } = gateway;

    await sendB(url, WRITES, 'ann', { x: 'q', y: false, z: 'r' });
    for (let count = 0; count < 3; count += 1)
      await sendB(url, WRITES, 'ann', { x: 'a', y: true, z: 'b,false,c' });
    const { data } = await sendB(url, WRITES, 'bob', { x: 'a,true,b', y: false, z: 'c' });

    expect(Object.keys(data)).toEqual(['m', 'n']);
    const tokens = service.calls.filter((call) => call.line === line);
    expect(tokens.map(({ token }) => token)).toEqual(Array(3).fill('Bearer ann'));
  });

  // security: variables-of-another
  test('a value that cannot become text is sent like any other, whatever another operation does with its name', async () => {
    await using gateway = await startScripted({});
    const query = `query A($on: Boolean!) { a: __typename @include(if: $on) }
      mutation B($on: JSON!) {
        sendMessage(input: { conversationId: "c", message: "m", attachments: [$on] }) { message { id } }
      }`;
    const variables = { on: { toString: 1, valueOf: 1 } };

    for (let count = 0; count < 3; count += 1) {
      const { errors } = await sendB(gateway.url, query, 't', variables);
      expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    }

    expect(gateway.service.lines()).toEqual(Array(3).fill('POST /v1/messages'));
  });
});

describe('a document is validated as it was sent', () => {
  // security: merged-repeats
  test('an invalid mutation is not carried out, whatever stands beside it', async () => {
    const write = 'deleteConversation(input: { id: "c1" })';

    const { status, error, calls } = await askOnce(
      `mutation { ${write} { deletedConversationId } ${write} }`,
      {},
    );

    expect(status).toBe(400);
    expect(error?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(calls).toEqual([]);
  });
});
