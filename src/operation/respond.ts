import {
  type FormattedExecutionResult,
  GraphQLError,
  type OperationDefinitionNode,
} from 'graphql';
import type { OperationContext } from './context.ts';
import { listErrors } from './error-list.ts';
import type { Executed } from './execute.ts';

/** An operation that was not executed, and why. */
export interface Refused {
  readonly data?: undefined;
  readonly errors: readonly GraphQLError[];
  /** A status above 400, such as 405, becomes that of the answer. For any other, and for undefined, `respond` chooses 400 or 200. */
  readonly status: number | undefined;
}

/** A refusal has its status in its error; any other error is a bug. */
export function toRefused(thrown: unknown): Refused {
  const error =
    thrown instanceof GraphQLError
      ? thrown
      : new GraphQLError(String(thrown), { originalError: thrown as Error });
  const http = error.extensions.http as { readonly status?: number } | undefined;
  return { errors: [error], status: http?.status ?? 500 };
}

declare const responded: unique symbol;

/** The answer to an operation. Only `respond` makes one. */
export interface Responded {
  readonly [responded]: true;
  /** Undefined if none was found. */
  readonly operation: OperationDefinitionNode | undefined;
  /** Undefined: 200. */
  readonly status: number | undefined;
  /** The value of the header `Retry-After`; null: the answer has no such header. */
  readonly retryAfterSeconds: number | null;
  readonly result: FormattedExecutionResult;
  /** The original errors, not converted for clients. */
  readonly errors: readonly GraphQLError[];
}

/** The extensions that an operation may request for its answer. */
type Extension = 'cost' | 'rest';

export interface RespondOptions {
  /** `extensions` of the request, beside `query`. */
  readonly requested: Readonly<Record<string, unknown>>;
  /** REST calls that an operation may make. */
  readonly maxCalls: number;
  /** Whether clients may not read the schema, and so get no hints at it either. */
  readonly hidesSchema: boolean;
}

/** Makes the answer: errors as clients see them, without the caller's token; the requested extensions; the status. */
export function respond(
  outcome: Executed | Refused,
  operation: OperationDefinitionNode | undefined,
  context: OperationContext,
  options: RespondOptions,
): Responded {
  const { data, errors } = outcome;
  const isRequestError = isRefused(data, errors);
  const extensions = toExtensions(context, options);
  const result: FormattedExecutionResult = {};
  if (errors.length > 0)
    result.errors = listErrors(errors, {
      omitted: context.fieldErrors.omitted(),
      redact: context.redact,
      hidesSchema: options.hidesSchema,
    });
  if (!isRequestError) result.data = data ?? null;
  if (extensions !== null) result.extensions = extensions;
  const retryAfterSeconds = toRetryAfter(result);
  const answer = { operation, retryAfterSeconds, result, errors };
  if (!isRequestError) return { ...answer, status: undefined } as Responded;
  const status = 'status' in outcome ? outcome.status : undefined;
  if (status !== undefined && status > 400) return { ...answer, status } as Responded;
  const isWellFormed =
    operation !== undefined ||
    result.errors?.every(({ extensions }) => extensions?.code !== 'BAD_REQUEST') === true;
  return {
    ...answer,
    status: isWellFormed && context.accepts.onlyPlainJson ? 200 : 400,
  } as Responded;
}

/** The longest wait that an error asks for, so that the whole operation can succeed then. Unit: seconds. */
function toRetryAfter({ errors = [] }: FormattedExecutionResult): number | null {
  let longest: number | null = null;
  for (const { extensions } of errors) {
    const seconds = extensions?.retryAfterSeconds;
    if (typeof seconds === 'number') longest = Math.max(longest ?? 0, seconds);
  }
  return longest;
}

/** Whether nothing was executed. Then there is no data or, if the schema has no such root type, null and no error with a path. */
const isRefused = (data: Executed['data'], errors: readonly GraphQLError[]): boolean =>
  data === undefined || (data === null && errors.every(({ path }) => path === undefined));

function toExtensions(
  { budget, callLog, extensionsHeader }: OperationContext,
  { requested, maxCalls }: Pick<RespondOptions, 'requested' | 'maxCalls'>,
): Partial<Record<Extension, unknown>> | null {
  const isRequested = (extension: Extension): boolean =>
    requested[extension] === true || namesExtension(extensionsHeader, extension);
  const extensions: Partial<Record<Extension, unknown>> = {};
  const spent = isRequested('cost') ? budget.report() : null;
  // If an operation was refused for its cost, the error has the cost.
  if (spent !== null) extensions.cost = { ...spent, limit: maxCalls };
  if (callLog !== null && isRequested('rest')) extensions.rest = callLog.report();
  return Object.keys(extensions).length > 0 ? extensions : null;
}

const namesExtension = (header: string | undefined, extension: Extension): boolean =>
  header?.split(',').some((name) => name.trim() === extension) ?? false;
