/** Codes of field errors. Source: the contract, section 3; docs/errors.md. A bug of ours is none of them. */
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

/** One error of an answer, checked. */
export interface JudgedError {
  readonly code: string;
  readonly outcomeUnknown: boolean;
  /** Whether it is the error of a field of Query or Mutation itself. */
  readonly isRoot: boolean;
}

/** The errors of an answer to an executed operation; throws, saying why, if the answer is none GraphQL may give. */
export function judge(status: number, body: unknown): readonly JudgedError[] {
  if (status !== 200) throw new Error(`HTTP ${status}: ${JSON.stringify(body)}`);
  if (!isRecord(body) || !isRecord(body.data)) throw trouble('no data', body);
  if (body.errors === undefined) return [];
  if (!Array.isArray(body.errors) || body.errors.length === 0) {
    throw trouble('errors that are none', body);
  }
  return body.errors.map(judgeError);
}

function judgeError(error: unknown): JudgedError {
  if (!isRecord(error) || typeof error.message !== 'string')
    throw trouble('no message', error);
  if (!Array.isArray(error.path)) throw trouble('no path', error);
  if (!isRecord(error.extensions)) throw trouble('no extensions', error);
  const { code, outcome, retryAfterSeconds } = error.extensions;
  if (typeof code !== 'string' || !FIELD_CODES.has(code)) {
    throw trouble('a code the contract does not have', error);
  }
  const isDelay = typeof retryAfterSeconds === 'number' && retryAfterSeconds >= 0;
  if (code === 'OVERLOADED' && !isDelay) {
    throw trouble('no retryAfterSeconds', error);
  }
  return {
    code,
    outcomeUnknown: outcome === 'unknown',
    isRoot: error.path.length === 1,
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const trouble = (what: string, where: unknown) =>
  new Error(`${what}: ${JSON.stringify(where)}`);
