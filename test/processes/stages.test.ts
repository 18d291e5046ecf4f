import { expect, test } from 'vitest';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { post } from '../support/http.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

interface Sent {
  readonly query?: string;
  readonly operationName?: string;
  readonly variables?: Record<string, unknown>;
  readonly extensions?: Record<string, unknown>;
  readonly accept?: string;
}

/** Every way in which an operation can end, with the codes that its log line has. */
const OPERATIONS: readonly [what: string, sent: Sent, codes: string[]][] = [
  ['query', { query: '{ message(id: "m1") { id } }' }, []],
  [
    'mutation',
    {
      query:
        'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { id } } }',
    },
    [],
  ],
  ['failed-field', { query: '{ message(id: "") { id } }' }, ['BAD_USER_INPUT']],
  ['syntax-error', { query: '{' }, ['GRAPHQL_PARSE_FAILED']],
  ['invalid', { query: '{ nothing }' }, ['GRAPHQL_VALIDATION_FAILED']],
  [
    'refused-document',
    { query: `{ ${'a: __typename '.repeat(1001)} }` },
    ['DOCUMENT_TOO_WIDE'],
  ],
  [
    'unknown-persisted-query',
    { extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } },
    ['PERSISTED_QUERY_NOT_FOUND'],
  ],
  [
    'wrong-variables',
    { query: 'query ($id: ID!) { message(id: $id) { id } }' },
    ['BAD_USER_INPUT'],
  ],
  [
    'too-costly',
    { query: '{ a: message(id: "m1") { id } b: message(id: "m2") { id } }' },
    ['OPERATION_TOO_COSTLY'],
  ],
  ['not-acceptable', { query: '{ __typename }', accept: 'text/csv' }, ['BAD_REQUEST']],
  [
    'unknown-operation',
    { query: 'query A { __typename }', operationName: 'B' },
    ['OPERATION_RESOLUTION_FAILURE'],
  ],
];

test('every operation, also one that is refused, is reported by exactly one log line', async () => {
  await using upstream = await startUpstream(() => ({ body: wireMessage('m1') }));
  await using gateway = await startGatewayProcess(upstream.url, { MAX_REST_CALLS: '1' });

  for (const [what, { accept = '*/*', ...body }] of OPERATIONS) {
    await post(gateway.url, body, {
      authorization: 'Bearer ann-token',
      'x-request-id': what,
      accept,
    });
  }
  // At its end the gateway writes the lines that it still holds.
  gateway.child.kill('SIGTERM');
  await gateway.exit();

  const lines = gateway.log().map((line) => JSON.parse(line));
  const reported = lines.filter(({ msg }) => msg === 'operation');
  expect(reported.map(({ requestId, codes }) => [requestId, codes])).toEqual(
    OPERATIONS.map(([what, , codes]) => [what, codes]),
  );
});
