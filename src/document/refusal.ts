import { GraphQLError } from 'graphql';

/** The codes of operations that are refused before they are executed. */
export type RefusalCode =
  | 'BAD_USER_INPUT'
  | 'DOCUMENT_NOT_TRUSTED'
  | 'DOCUMENT_TOO_DEEP'
  | 'DOCUMENT_TOO_WIDE'
  | 'GRAPHQL_PARSE_FAILED'
  | 'GRAPHQL_VALIDATION_FAILED'
  | 'OPERATION_TOO_COSTLY';

/** The error of a refused operation: a request error, with HTTP status 400. */
export const refusal = (
  code: RefusalCode,
  message: string,
  extensions: Readonly<Record<string, unknown>> = {},
): GraphQLError =>
  new GraphQLError(message, {
    extensions: { code, ...extensions, http: { status: 400 } },
  });
