import { GraphQLError } from 'graphql';

/** The codes of operations that are refused before they are executed. */
export type RefusalCode =
  | 'BAD_REQUEST'
  | 'BAD_USER_INPUT'
  | 'DOCUMENT_NOT_TRUSTED'
  | 'DOCUMENT_TOO_DEEP'
  | 'DOCUMENT_TOO_WIDE'
  | 'GRAPHQL_PARSE_FAILED'
  | 'GRAPHQL_VALIDATION_FAILED'
  | 'OPERATION_TOO_COSTLY'
  | 'OVERLOADED'
  | 'UPSTREAM_TIMEOUT';

/** The error of a refused operation: a request error. `status`: of HTTP. */
export const refusal = (
  code: RefusalCode,
  message: string,
  { status = 400, ...extensions }: Readonly<Record<string, unknown>> = {},
): GraphQLError =>
  new GraphQLError(message, { extensions: { code, ...extensions, http: { status } } });
