import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import { expect, test } from 'vitest';
import type { Checked } from '../../src/cost/check.ts';
import type { Plan } from '../../src/document/plan.ts';
import type { Prepared } from '../../src/document/prepare.ts';
import type { OperationContext } from '../../src/operation/context.ts';
import type { Executed } from '../../src/operation/execute.ts';
import type { Pipeline } from '../../src/operation/pipeline.ts';
import type { OperationResponse } from '../../src/operation/request.ts';
import type { Refused, Responded } from '../../src/operation/respond.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { post } from '../support/http.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

/** What each stage makes. These have types only: no function below is called, tsc judges them. */
declare const made: {
  prepared: Prepared;
  plan: Plan;
  checked: Checked;
  executed: Executed;
  refused: Refused;
  responded: Responded;
};
declare const pipeline: Pipeline;
declare const context: OperationContext;
declare const document: DocumentNode;
declare const operation: OperationDefinitionNode;

const answered = { operation: undefined, extensions: undefined };
const handMade = { data: {}, errors: [], status: 200, result: {} };

test('a stage takes only what the stage before it made', () => {
  const inOrder = [
    () => pipeline.plan(made.prepared, operation),
    () => pipeline.check(made.plan, {}, context),
    () => pipeline.execute(made.checked, context),
    () => pipeline.respond(made.executed, context, answered),
    () => pipeline.respond(made.refused, context, answered),
    () => pipeline.report(made.responded, context),
  ];
  const skipping = [
    // @ts-expect-error: not prepared
    () => pipeline.plan({ document, fragments: {} }, operation),
    // @ts-expect-error: not planned
    () => pipeline.check({ operation, prepared: made.prepared }, {}, context),
    // @ts-expect-error: planned, but not checked
    () => pipeline.execute(made.plan, context),
    // @ts-expect-error: neither prepared nor checked
    () => pipeline.execute({ operation, document }, context),
    // @ts-expect-error: checked, but not executed
    () => pipeline.respond(made.checked, context, answered),
    // @ts-expect-error: data that no execution returned
    () => pipeline.respond(handMade, context, answered),
    // @ts-expect-error: executed, but not made fit for clients
    () => pipeline.report(made.executed, context),
    // @ts-expect-error: refused, but not made fit for clients
    () => pipeline.report(made.refused, context),
    // @ts-expect-error: an answer that respond did not make
    () => pipeline.report(handMade, context),
    // @ts-expect-error: sent, but not reported
    (): OperationResponse => ({ status: 200, headers: [], body: '{}' }),
  ];

  // `npm run check:types` is the real check: there, a line that skips a stage without an error fails.
  expect([inOrder.length, skipping.length]).toEqual([6, 10]);
});

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
