import type { GraphqlAnswer } from '../../support/gateway.ts';

/** The codes of field errors in docs/errors.md. INTERNAL_SERVER_ERROR is absent: it means a bug in the gateway. */
const FIELD_CODES: ReadonlySet<unknown> = new Set([
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'BAD_USER_INPUT',
  'NOT_FOUND',
  'CONFLICT',
  'RATE_LIMITED',
  'UPSTREAM_ERROR',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_UNREACHABLE',
  'UPSTREAM_INVALID_RESPONSE',
  'PAGE_OUT_OF_REACH',
  'OVERLOADED',
]);

/** One valid error of an answer. */
export interface CheckedError {
  readonly code: string;
  readonly outcomeUnknown: boolean;
  /** Whether it is the error of a field of Query or Mutation itself. */
  readonly isRoot: boolean;
}

/** The errors of an answer to an executed operation. Throws if the answer breaks the rules of docs/errors.md. */
export function checkAnswer(answer: GraphqlAnswer): readonly CheckedError[] {
  const errors: unknown = answer.errors;
  if (answer.status !== 200) throw violation(`HTTP ${answer.status}`, answer);
  if (!isRecord(answer.data)) throw violation('no data', answer);
  if (errors === undefined) return [];
  if (!Array.isArray(errors) || errors.length === 0) {
    throw violation('errors is not a list with items', answer);
  }
  return errors.map(checkError);
}

function checkError(error: unknown): CheckedError {
  if (!isRecord(error) || typeof error.message !== 'string') {
    throw violation('no message', error);
  }
  if (!Array.isArray(error.path)) throw violation('no path', error);
  if (!isRecord(error.extensions)) throw violation('no extensions', error);
  const { code, outcome, retryAfterSeconds } = error.extensions;
  if (typeof code !== 'string' || !FIELD_CODES.has(code)) {
    throw violation('an undocumented code', error);
  }
  const isDelay = typeof retryAfterSeconds === 'number' && retryAfterSeconds >= 0;
  if (code === 'OVERLOADED' && !isDelay) throw violation('no retryAfterSeconds', error);
  return {
    code,
    outcomeUnknown: outcome === 'unknown',
    isRoot: error.path.length === 1,
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const violation = (problem: string, where: unknown) =>
  new Error(`${problem}: ${JSON.stringify(where)}`);
