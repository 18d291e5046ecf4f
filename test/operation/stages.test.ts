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
