import type {
  FormattedExecutionResult,
  GraphQLError,
  OperationDefinitionNode,
} from 'graphql';
import type { OperationContext } from './context.ts';
import { listErrors } from './error-list.ts';
import type { Executed } from './execute.ts';

/** An operation that was not executed, and why. */
export interface Refused {
  readonly data?: undefined;
  readonly errors: readonly GraphQLError[];
  /** A status that says more than 400, such as 405; undefined if there is none. */
  readonly status: number | undefined;
}

declare const responded: unique symbol;

/** The answer to an operation. Only `respond` makes one. */
export interface Responded {
  readonly [responded]: true;
  /** Undefined: 200. */
  readonly status: number | undefined;
  readonly result: FormattedExecutionResult;
  /** Before they were made fit for clients. */
  readonly errors: readonly GraphQLError[];
}

/** What an operation may ask to learn about itself, in `extensions` of its answer. */
type Extension = 'cost' | 'rest';

/** What respond needs to know of the request and the settings. */
export interface RespondOptions {
  /** `extensions` of the request, beside `query`. */
  readonly requested: Readonly<Record<string, unknown>>;
  /** REST calls that an operation may make. */
  readonly maxCalls: number;
}

/** Makes the answer: errors as clients see them and without the caller's token, the extensions asked for, the status. */
export function respond(
  outcome: Executed | Refused,
  operation: OperationDefinitionNode | undefined,
  context: OperationContext,
  options: RespondOptions,
): Responded {
  const { data, errors } = outcome;
  const isRequestError = isRefused(data, errors);
  const extensions = toExtensions(context, options);
  const result: FormattedExecutionResult = {
    ...(errors.length > 0 && {
      errors: listErrors(errors, context.fieldErrors.omitted(), context.redact),
    }),
    ...(!isRequestError && { data: data ?? null }),
    ...(Object.keys(extensions).length > 0 && { extensions }),
  };
  if (!isRequestError) return { status: undefined, result, errors } as Responded;
  const status = 'status' in outcome ? outcome.status : undefined;
  if (status !== undefined && status > 400)
    return { status, result, errors } as Responded;
  const isWellFormed =
    operation !== undefined ||
    result.errors?.every(({ extensions }) => extensions?.code !== 'BAD_REQUEST') === true;
  return {
    status: isWellFormed && context.accepts.onlyPlainJson ? 200 : 400,
    result,
    errors,
  } as Responded;
}

/** Nothing was executed: there is no data or, if the schema has no such root type, null without any path. */
const isRefused = (data: Executed['data'], errors: readonly GraphQLError[]): boolean =>
  data === undefined || (data === null && errors.every(({ path }) => path === undefined));

function toExtensions(
  { budget, callLog, extensionsHeader }: OperationContext,
  { requested, maxCalls }: RespondOptions,
): Partial<Record<Extension, unknown>> {
  const isRequested = (extension: Extension): boolean =>
    requested[extension] === true || namesExtension(extensionsHeader, extension);
  const spent = isRequested('cost') ? budget.report() : null;
  return {
    // An operation that was refused for its cost has it in the error.
    ...(spent !== null && { cost: { ...spent, limit: maxCalls } }),
    ...(callLog !== null && isRequested('rest') && { rest: callLog.report() }),
  };
}

const namesExtension = (header: string | undefined, extension: Extension): boolean =>
  header?.split(',').some((name) => name.trim() === extension) ?? false;
