import fc from 'fast-check';
import { oneOf } from './one-of.ts';
import type { Operation } from './print-operation.ts';

/** Texts that break a document. */
const SNIPPETS = [
  ...'{}()"#!-💬\u0000\ufeff',
  '"""',
  '...',
  '... on Message',
  '...Nope',
  '@skip',
  '@nope(if: true)',
  '@include(if: "x")',
  '$nope',
  '$v0: Int',
  'nope',
  'first: "1"',
  '1e999',
  '{ __typename }',
  'query A { __typename }',
  'fragment F on Query { ...F }',
  'subscription { nope }',
  'extend type Query { nope: Int }',
  '{ a'.repeat(500),
  '[['.repeat(500),
];

/** A valid document from which a part was cut, into which a text was inserted, or both. */
export const broken = (operation: fc.Arbitrary<Operation>): fc.Arbitrary<Operation> =>
  fc
    .record({
      operation,
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      cut: fc.oneof(fc.constant(0), fc.nat({ max: 30 })),
      snippet: oneOf(
        [6, fc.constantFrom('', ...SNIPPETS)],
        [1, fc.string({ unit: 'binary' })],
      ),
    })
    .map(({ operation: { query, variables }, at, cut, snippet }) => {
      const from = Math.floor(at * query.length);
      const text = `${query.slice(0, from)} ${snippet} ${query.slice(from + cut)}`;
      return { query: text, variables };
    });

/** A valid document with arbitrary values for its variables. */
export const withAnyVariables = (
  operation: fc.Arbitrary<Operation>,
): fc.Arbitrary<Operation> =>
  fc
    .record({ operation, values: fc.array(anyJson, { minLength: 1 }) })
    .map(({ operation: { query, variables }, values }) => ({
      query,
      variables: Object.fromEntries(
        Object.keys(variables).map((name, index) => [
          name,
          values[index % values.length],
        ]),
      ),
    }));

const anyJson = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(2 ** 53, -0.5, 1e300, '1', '', [[]], { a: [null] }),
);

/** An HTTP request. */
export interface JunkRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array<ArrayBuffer> | string;
  /** The query string, with its question mark. */
  readonly search: string;
}

/** Characters that a header may hold. */
const headerText = fc.string({ unit: fc.constantFrom(...' !#/;,=*+-."azAZ09') });

const QUERY = { query: '{ __typename }' };
const sometimes = { requiredKeys: [] as [] };

const body = fc.oneof(
  anyJson.map((json) => JSON.stringify(json)),
  fc
    .record(
      { query: anyJson, variables: anyJson, operationName: anyJson, extensions: anyJson },
      sometimes,
    )
    .map((json) => JSON.stringify(json)),
  fc
    .record(
      { variables: anyJson, operationName: anyJson, extensions: anyJson },
      sometimes,
    )
    .map((json) => JSON.stringify({ ...QUERY, ...json })),
  fc.uint8Array({ maxLength: 200 }),
  fc.string({ unit: 'binary' }),
  fc.nat({ max: 14 }).map((end) => JSON.stringify(QUERY).slice(0, end)),
  fc.nat({ max: 20_000 }).map((depth) => '['.repeat(depth)),
);

/** Random requests, hardly ever valid ones. */
export const junkRequest: fc.Arbitrary<JunkRequest> = fc.record({
  method: fc.constantFrom('POST', 'POST', 'POST', 'PUT', 'DELETE', 'PATCH'),
  headers: fc.record(
    {
      'content-type': oneOf(
        [6, fc.constant('application/json')],
        [
          1,
          fc.constantFrom(
            'application/json; charset=latin1',
            'application/graphql-response+json',
            'application/graphql',
            'text/plain',
            'multipart/form-data; boundary=x',
            'application/x-www-form-urlencoded',
          ),
        ],
        [1, headerText],
      ),
      accept: fc.oneof(
        fc.constantFrom('*/*', 'application/json', 'text/html'),
        headerText,
      ),
      authorization: fc.oneof(
        fc.constantFrom('Bearer t', 'Bearer', 'Basic x'),
        headerText,
      ),
      'content-encoding': fc.constantFrom('identity', 'gzip', 'nope'),
      'x-request-id': headerText,
    },
    { requiredKeys: ['content-type'] },
  ) as fc.Arbitrary<Record<string, string>>,
  body,
  search: oneOf(
    [3, fc.constant('')],
    [1, fc.webQueryParameters().map((text) => `?${text}`)],
    [
      1,
      fc.constantFrom('?query={__typename}', '?query=%', '?variables=[', '?extensions=1'),
    ],
  ),
});
