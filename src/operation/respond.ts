import {
  type FormattedExecutionResult,
  GraphQLError,
  type OperationDefinitionNode,
} from 'graphql';
import type { Explanation } from '../cost/explanation.ts';
import type { Refusals } from '../document/prepare.ts';
import type { OperationContext } from './context.ts';
import { listErrors } from './error-list.ts';
import type { OperationRequest } from './request.ts';

/** How an operation ended. */
export interface OperationOutcome {
  /** Undefined: it was not executed. */
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors: readonly GraphQLError[];
  /** How many more fields failed. Default: none. */
  readonly omitted?: number;
  /** What it may cost, if that was asked for instead of its execution. */
  readonly explanation?: Explanation;
  /** A status above 400, such as 405, becomes that of the answer. For any other, and for undefined, `respond` chooses 400 or 200. */
  readonly status?: number | undefined;
}

/** A refusal has its status in its error. */
export function toRefused(errors: Refusals): OperationOutcome {
  const http = errors[0]?.extensions.http as { readonly status?: number } | undefined;
  return { errors, status: http?.status };
}

/** The outcome of an operation that a bug has stopped. */
export const toFailure = (thrown: unknown): OperationOutcome => ({
  errors: [new GraphQLError(String(thrown), { originalError: thrown as Error })],
  status: 500,
});

/** The parts of a request, besides its outcome, that the answer depends on. */
export interface AnsweredRequest {
  /** Undefined if the document could not be read, or has no operation of the requested name. */
  readonly operation: OperationDefinitionNode | undefined;
  /** `extensions` beside `query`. */
  readonly extensions: Readonly<Record<string, unknown>> | undefined;
}

/** The answer to an operation. */
export interface Answered {
  readonly status: number;
  /** The value of the header `Retry-After`; null: the answer has no such header. */
  readonly retryAfterSeconds: number | null;
  readonly result: FormattedExecutionResult;
}

/** The extensions that an operation may request for its answer. */
type Extension = 'cost' | 'explain' | 'rest';

/**
 * Makes the answer: errors as clients see them, without the caller's token; the requested extensions; the status. `maxCalls`:
 * how many REST calls an operation may make.
 */
export function respond(
  outcome: OperationOutcome,
  { operation, extensions: requested = NONE }: AnsweredRequest,
  context: OperationContext,
  maxCalls: number,
): Answered {
  const { data, errors, omitted = 0, explanation } = outcome;
  const isRequestError = explanation === undefined && wasNotExecuted(data, errors);
  const extensions = toExtensions(context, { requested, explanation, maxCalls });
  const result: FormattedExecutionResult = {};
  if (errors.length > 0) result.errors = listErrors(errors, omitted, context.redact);
  if (!isRequestError) result.data = data ?? null;
  if (extensions !== null) result.extensions = extensions;
  const retryAfterSeconds = toRetryAfter(result);
  if (!isRequestError) return { status: 200, retryAfterSeconds, result };
  const { status = 400 } = outcome;
  if (status > 400) return { status, retryAfterSeconds, result };
  const isWellFormed =
    operation !== undefined ||
    result.errors?.every(({ extensions }) => extensions?.code !== 'BAD_REQUEST') === true;
  const isOk = isWellFormed && context.request.accepts.onlyPlainJson;
  return { status: isOk ? 200 : 400, retryAfterSeconds, result };
}

const NONE = Object.freeze({});

/** The longest wait that an error asks for: after it, the whole operation can succeed. Unit: seconds. */
function toRetryAfter({ errors = [] }: FormattedExecutionResult): number | null {
  let longest: number | null = null;
  for (const { extensions } of errors) {
    const seconds = extensions?.retryAfterSeconds;
    if (typeof seconds === 'number') longest = Math.max(longest ?? 0, seconds);
  }
  return longest;
}

/** Whether nothing was executed. Then there is no data or, if the schema has no such root type, null and no error with a path. */
const wasNotExecuted = (
  data: OperationOutcome['data'],
  errors: readonly GraphQLError[],
): boolean =>
  data === undefined || (data === null && errors.every(({ path }) => path === undefined));

/** For tools that cannot send `extensions`, such as Apollo Sandbox: the names of extensions, separated by commas. */
const EXTENSIONS_HEADER = 'x-extensions';

/** Whether a request asks for an extension. */
export function isRequested(
  extension: Extension,
  { headers }: OperationRequest,
  requested: NonNullable<AnsweredRequest['extensions']>,
): boolean {
  const named = headers[EXTENSIONS_HEADER]?.toString();
  return (
    requested[extension] === true ||
    named?.split(',').some((name) => name.trim() === extension) === true
  );
}

interface ExtensionOptions {
  readonly requested: NonNullable<AnsweredRequest['extensions']>;
  readonly explanation: Explanation | undefined;
  readonly maxCalls: number;
}

function toExtensions(
  { budget, callLog, request }: OperationContext,
  { requested, explanation, maxCalls }: ExtensionOptions,
): Partial<Record<Extension, unknown>> | null {
  const extensions: Partial<Record<Extension, unknown>> = {};
  const spent = isRequested('cost', request, requested) ? budget.report() : null;
  // If an operation was refused for its cost, the error has the cost.
  if (spent !== null) extensions.cost = { ...spent, limit: maxCalls };
  if (explanation !== undefined) extensions.explain = explanation;
  if (callLog !== null && isRequested('rest', request, requested))
    extensions.rest = callLog.report();
  return Object.keys(extensions).length > 0 ? extensions : null;
}

/** Longer answers are read by programs. Unit: characters. */
const FOR_TERMINALS = 4096;

/** The text of a result. A short one ends with a line break, for terminals; a long one does not, because that would copy it. */
export function toResultText(result: FormattedExecutionResult): string {
  const text = JSON.stringify(result);
  return text.length > FOR_TERMINALS ? text : `${text}\n`;
}
