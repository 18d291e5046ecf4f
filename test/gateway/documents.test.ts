import {
  buildClientSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import {
  type GraphqlAnswer,
  startTestGateway,
  type TestGateway,
} from '../support/gateway.ts';

/** Nothing listens there: these documents ask nothing of the service. */
const NOWHERE = 'http://127.0.0.1:1';

const repeat = (times: number, text: (index: number) => string): string =>
  Array.from({ length: times }, (_, index) => text(index)).join(' ');

/** As many levels of fields, of which the service hears nothing. */
const levels = (depth: number): string =>
  `{ __type(name: "ID") { ${'ofType { '.repeat(depth - 2)} name ${'}'.repeat(depth)}`;

const aliases = (count: number): string =>
  repeat(count, (index) => `a${index}: __typename`);

/** Fragments `F0` to `F<count>`, each of which spreads the next `times` times; the last one has `last`. */
const chain = ({ count, times, last }: { count: number; times: number; last: string }) =>
  `${repeat(count, (index) => `fragment F${index} on Query { ${`...F${index + 1} `.repeat(times)} }`)}
   fragment F${count} on Query { ${last} }`;

/** What tools ask of the schema, as a fragment. */
const WHOLE_SCHEMA = getIntrospectionQuery()
  .replace(/query \w+ \{\s*__schema/, 'fragment S on __Schema')
  .replace(/\}\s*\}\s*fragment FullType/, '} fragment FullType');

/** `fragment`, which is `S`, so many times over. */
const introspections = (times: number, fragment: string): string =>
  `{ ${repeat(times, (index) => `s${index}: __schema { ...S }`)} } ${fragment}`;

async function ask(gateway: TestGateway, query: string) {
  const { status, data, errors } = await gateway.ask(query, {
    token: null,
    headers: { accept: 'application/graphql-response+json' },
  });
  return { status, data, code: errors?.[0]?.extensions.code, errors };
}

describe('a document', () => {
  test.each([
    ['thirty levels', levels(30), levels(31), 'DOCUMENT_TOO_DEEP'],
    [
      'a thousand aliases',
      `{ ${aliases(1000)} }`,
      `{ ${aliases(1001)} }`,
      'DOCUMENT_TOO_WIDE',
    ],
    [
      'a thousand aliases where fragments are spread',
      `{ ...F ...F ...F ...F } fragment F on Query { ${aliases(250)} }`,
      `{ ...F ...F ...F ...F } fragment F on Query { ${aliases(251)} }`,
      'DOCUMENT_TOO_WIDE',
    ],
    [
      'two hundred fragments in one another',
      `{ ...F0 } ${chain({ count: 199, times: 1, last: '__typename' })}`,
      `{ ...F0 } ${chain({ count: 200, times: 1, last: '__typename' })}`,
      'DOCUMENT_TOO_DEEP',
    ],
    [
      'two hundred fragments without a name',
      `{ ${'... { '.repeat(200)} __typename ${'}'.repeat(201)}`,
      `{ ${'... { '.repeat(201)} __typename ${'}'.repeat(202)}`,
      'DOCUMENT_TOO_DEEP',
    ],
    [
      'the names of the schema three hundred times',
      introspections(300, 'fragment S on __Schema { types { name } }'),
      introspections(
        300,
        'fragment S on __Schema { types { name fields { name args { name } } } }',
      ),
      'OPERATION_TOO_COSTLY',
    ],
    [
      'the whole schema twenty times',
      introspections(20, WHOLE_SCHEMA),
      introspections(24, WHOLE_SCHEMA),
      'OPERATION_TOO_COSTLY',
    ],
  ])('may have %s, and no more', async (_what, allowed, refused, code) => {
    await using gateway = await startTestGateway(NOWHERE);

    const good = await ask(gateway, allowed);
    const bad = await ask(gateway, refused);

    expect(good).toMatchObject({ status: 200, errors: undefined });
    expect(bad).toMatchObject({ status: 400, data: undefined, code });
  });

  test('of 10,000 tokens, 300 aliases and 15 levels is judged by its price alone', async () => {
    await using gateway = await startTestGateway(NOWHERE);
    const query = `{ ${aliases(299)} deep: ${levels(15).slice(1)}`;

    const answer = await ask(
      gateway,
      `${query.slice(0, -1)} ${'__typename '.repeat(500)} }`,
    );

    expect(answer).toMatchObject({ status: 200, errors: undefined });
  });

  test('of 10,000 tokens is validated, also if it says the same again and again', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    const answer = await ask(gateway, `{ ${'__typename '.repeat(9990)} }`);

    expect(answer).toMatchObject({ status: 200, errors: undefined });
  });

  test('of more than 10,000 tokens is not read to its end', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    const answer = await ask(gateway, `{ ${'__typename '.repeat(10_001)} }`);

    expect(answer).toMatchObject({ status: 400, code: 'GRAPHQL_PARSE_FAILED' });
    expect(answer.errors?.[0]?.message).toContain('10000 tokens');
  });

  test('that is refused is refused again', async () => {
    await using gateway = await startTestGateway(NOWHERE);
    const first = await ask(gateway, levels(31));

    const second = await ask(gateway, levels(31));

    expect(second).toEqual(first);
  });

  test('that is refused is 200 for a client that knows plain JSON alone', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    const answer = await gateway.ask(levels(31), {
      token: null,
      headers: { accept: 'application/json' },
    });

    expect(answer.status).toBe(200);
    expect(answer.errors?.[0]?.extensions.code).toBe('DOCUMENT_TOO_DEEP');
  });
});

test.each([
  ['with aliases is refused', 'a: __typename', 400],
  ['that selects one field in the end is answered', '__typename', 200],
])(
  'a bomb of fragments that double 150 times and %s, at once',
  async (_how, last, status) => {
    await using gateway = await startTestGateway(NOWHERE);
    const began = performance.now();

    const answer = await ask(
      gateway,
      `{ ...F0 } ${chain({ count: 150, times: 2, last })}`,
    );

    expect(answer.status).toBe(status);
    expect(performance.now() - began).toBeLessThan(2000);
  },
);

test.each([
  ['fields', `${'{ a '.repeat(2400)} ${'}'.repeat(2400)}`],
  ['fields, deeper than can be read', `${'{ a '.repeat(4900)} ${'}'.repeat(100)}`],
  [
    'lists in the type of a variable',
    `query ($a: ${'['.repeat(4500)}ID${']'.repeat(4500)}) { a }`,
  ],
  ['lists in a value', `{ message(id: ${'['.repeat(4900)}${']'.repeat(4900)}) { id } }`],
  [
    'fragments that are compared',
    `{ conversation(id: "c") { ...F0 ...F1 } }
     ${repeat(540, (index) => `fragment F${index} on Conversation { messages { nodes { conversation { ...F${index + 1} id } } } }`)}
     fragment F540 on Conversation { id }`,
  ],
  [
    'fragments that nobody spreads',
    `{ __typename }
     ${repeat(540, (index) => `fragment F${index} on Conversation { messages { nodes { conversation { ...F${index + 1} id } } } }`)}
     fragment F540 on Conversation { id }`,
  ],
])('no nesting makes the gateway run out of stack: %s', async (_what, query) => {
  await using gateway = await startTestGateway(NOWHERE);

  const { status, errors } = await ask(gateway, query);

  expect(status).toBe(400);
  expect(errors?.[0]?.message).toMatch(/levels|nested too deep|cannot represent/);
});

test('fragments in a circle are told in a line', async () => {
  await using gateway = await startTestGateway(NOWHERE);
  const circle = repeat(
    600,
    (index) =>
      `fragment F${index} on Query { ...F${(index + 1) % 600} ...F${(index * 7) % 600} }`,
  );

  const { code, errors } = await ask(gateway, `{ ...F0 } ${circle}`);

  expect(code).toBe('GRAPHQL_VALIDATION_FAILED');
  expect(errors).toEqual([
    expect.objectContaining({
      message: expect.stringMatching(/^Cannot spread fragment "F\d+" within itself\.$/),
    }),
  ]);
});

test('the introspection of tools passes', async () => {
  await using gateway = await startTestGateway(NOWHERE);
  const query = getIntrospectionQuery({
    descriptions: true,
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
    typeDepth: 9,
  });

  const { data } = await ask(gateway, query);

  const schema = buildClientSchema(data as IntrospectionQuery);
  expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toContain(
    'conversations',
  );
});

test('INTROSPECTION=false says so', async () => {
  await using gateway = await startTestGateway(NOWHERE, { INTROSPECTION: 'false' });

  const { status, errors } = await ask(gateway, getIntrospectionQuery());

  expect(status).toBe(400);
  expect(errors?.[0]?.message).toContain('introspection is not allowed');
});

describe('a body', () => {
  const send = async (gateway: TestGateway, body: string) => {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const { errors } = (await response.json()) as GraphqlAnswer;
    return { status: response.status, message: errors?.[0]?.message };
  };

  test.each([
    [
      'above a mebibyte',
      `{"query":"{ __typename } #${'x'.repeat(1_048_576)}"}`,
      413,
      'too long',
    ],
    [
      'that is a list of operations',
      '[{"query":"{ __typename }"}]',
      400,
      'batching disabled',
    ],
  ])('%s is refused with what is wrong', async (_what, body, status, words) => {
    await using gateway = await startTestGateway(NOWHERE);

    const answer = await send(gateway, body);

    expect(answer).toEqual({ status, message: expect.stringContaining(words) });
  });

  test('that nests variables 400,000 deep does no harm', async () => {
    await using gateway = await startTestGateway(NOWHERE);
    const deep = `${'['.repeat(400_000)}${']'.repeat(400_000)}`;

    const answer = await send(
      gateway,
      `{"query":"query ($id: ID!) { message(id: $id) { id } }","variables":{"id":${deep}}}`,
    );

    expect(answer.status).toBe(400);
  });
});
