import type { DocumentNode } from 'graphql';
import { GraphQLError, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import type { Logger } from 'pino';
import { type Checked, createCheck, type RequestedOperation } from '../cost/check.ts';
import { refuseBySize } from '../document/limits.ts';
import { type Prepared, prepare } from '../document/prepare.ts';
import { type Manifest, trustOnly } from '../document/trusted.ts';
import { type PageOptions, requestPage } from '../paging/cost.ts';
import type { OperationContext } from './context.ts';
import { createExecute, type Executed } from './execute.ts';
import { type Reported, report } from './report.ts';
import { type Refused, type Responded, respond } from './respond.ts';

/**
 * The stages of one operation, in their order. Each takes what only the stage before it can make, so whatever executes
 * operations must pass them all: a way that skips one does not compile.
 *
 *     prepare   document                    -> Prepared    once for each document: size, trust, duplicates
 *     check     Prepared, variables         -> Checked     priced before the first call; throws if it is refused
 *     execute   Checked                     -> Executed
 *     respond   Executed, or why it was not -> Responded   errors as clients see them, extensions, status
 *     report    Responded                   -> Reported    log, metrics, trace; only this leaves the gateway
 */
export interface Pipeline {
  prepare(document: DocumentNode, name: string): Prepared | GraphQLError;
  check(
    prepared: Prepared | GraphQLError,
    requested: RequestedOperation | null,
    context: OperationContext,
  ): Checked | null;
  execute(checked: Checked, context: OperationContext): Promise<Executed>;
  respond(
    outcome: Executed | Refused,
    context: OperationContext,
    request: AnsweredRequest,
  ): Responded;
  report(
    responded: Responded,
    context: OperationContext,
    request: AnsweredRequest,
  ): Reported;
}

/** What the answer to an operation depends on besides its outcome. */
interface AnsweredRequest {
  /** Undefined if the document could not be read, or has no operation of the requested name. */
  readonly operation: OperationDefinitionNode | undefined;
  /** `extensions` beside `query`. */
  readonly extensions: Readonly<Record<string, unknown>> | undefined;
}

export interface PipelineOptions {
  readonly schema: GraphQLSchema;
  readonly paging: PageOptions;
  /** REST calls that an operation may make. */
  readonly maxCalls: number;
  /** How long an answer may be. Unit: bytes. */
  readonly maxAnswerBytes: number;
  /** The documents that may run; null: any document may. */
  readonly trusted: Manifest | null;
  readonly log: Logger;
}

export function createPipeline({
  schema,
  paging,
  maxCalls,
  maxAnswerBytes,
  trusted,
  log,
}: PipelineOptions): Pipeline {
  const judges = trusted === null ? [refuseBySize] : [trustOnly(trusted), refuseBySize];
  const check = createCheck({
    schema,
    maxCalls,
    maxPageSize: paging.bounds.maxPageSize,
    requestPage: (args) => requestPage(args, paging),
  });
  return {
    prepare: (document, name) => prepare(document, name, judges),
    check(prepared, requested, context) {
      if (!context.accepts.any) throw notAcceptable();
      if (prepared instanceof GraphQLError) throw prepared;
      return requested && check(prepared, requested, context);
    },
    execute: createExecute(schema, maxAnswerBytes),
    respond: (outcome, context, { operation, extensions = {} }) =>
      respond(outcome, operation, context, { requested: extensions, maxCalls }),
    report: (responded, context, { operation }) =>
      report(responded, operation, context, log),
  };
}

/** Nothing is done for a client that cannot read the answer. */
const notAcceptable = () =>
  new GraphQLError('Not acceptable', {
    extensions: { code: 'BAD_REQUEST', http: { status: 406 } },
  });
