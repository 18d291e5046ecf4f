import { GraphQLError } from 'graphql';
import type { ErrorCode } from '../rest/error-codes.ts';

/** The error of a refused operation: a request error. `status`: of HTTP. */
export const refusal = (
  code: ErrorCode,
  message: string,
  { status = 400, ...extensions }: Readonly<Record<string, unknown>> = {},
): GraphQLError =>
  new GraphQLError(message, { extensions: { code, ...extensions, http: { status } } });
