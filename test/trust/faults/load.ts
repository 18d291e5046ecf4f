import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type GraphqlAnswer } from '../../support/gateway.ts';
import type { FaultyService, ReceivedWrite } from './faulty-service.ts';
import { type MixedOperation, toMark } from './mixed-operations.ts';

/** One valid error of an answer. */
interface CheckedError {
  readonly outcomeUnknown: boolean;
  /** Whether it is the error of a field of Query or Mutation itself. */
  readonly isRoot: boolean;
}

/** How one operation ended. */
export interface OperationResult {
  readonly operation: MixedOperation;
  readonly errors: readonly CheckedError[];
  /** Unit: milliseconds. */
  readonly tookMs: number;
}

export interface LoadOptions {
  readonly url: string;
  readonly token: string;
  readonly operations: number;
  /** How many clients send operations at once, each as soon as its last one is answered. */
  readonly clients: number;
  readonly next: () => MixedOperation;
  /** How long a client waits after each answer. Unit: milliseconds; default: 0. */
  readonly pauseMs?: number;
}

/** Sends operations and checks every answer. Throws at the first invalid answer. */
export async function runLoad(options: LoadOptions): Promise<OperationResult[]> {
  const results: OperationResult[] = [];
  let sent = 0;
  const client = async () => {
    while (sent < options.operations) {
      sent += 1;
      results.push(await send(options, options.next()));
      if (options.pauseMs) await sleep(options.pauseMs);
    }
  };
  await Promise.all(Array.from({ length: options.clients }, client));
  return results;
}

/** Far beyond every deadline of the gateway: the test fails instead of hanging. Unit: milliseconds. */
const HANGS_MS = 30_000;

async function send(
  { url, token }: LoadOptions,
  operation: MixedOperation,
): Promise<OperationResult> {
  const began = performance.now();
  const { query, variables } = operation;
  const signal = AbortSignal.timeout(HANGS_MS);
  const errors = checkAnswer(await ask(url, query, { token, variables, signal }));
  return { operation, errors, tookMs: performance.now() - began };
}

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

/** The errors of an answer to an executed operation. Throws if the answer breaks the rules of docs/errors.md. */
function checkAnswer(answer: GraphqlAnswer): readonly CheckedError[] {
  const { status, data, errors } = answer;
  const isRecord = (value: unknown) => typeof value === 'object' && value !== null;
  const isValid =
    status === 200 &&
    isRecord(data) &&
    (errors === undefined || (Array.isArray(errors) && errors.length > 0)) &&
    (errors ?? []).every(
      ({ message, path, extensions }) =>
        typeof message === 'string' &&
        Array.isArray(path) &&
        FIELD_CODES.has(extensions?.code) &&
        (extensions.code !== 'OVERLOADED' || Number(extensions.retryAfterSeconds) >= 0),
    );
  if (!isValid) throw new Error(`no valid answer: ${JSON.stringify(answer)}`);
  return (errors ?? []).map(({ path = [], extensions }) => ({
    outcomeUnknown: extensions.outcome === 'unknown',
    isRoot: path.length === 1,
  }));
}

/** The longest time to an answer. Unit: milliseconds. */
export const longestOf = (results: readonly OperationResult[]): number =>
  Math.max(...results.map(({ tookMs }) => tookMs));

const byMark = (writes: readonly ReceivedWrite[]): Map<string, ReceivedWrite[]> =>
  Map.groupBy(writes, ({ line, form }) => toMark(line, form));

/** The marks of writes that the service received more than once. */
export const duplicateWrites = ({ writes }: FaultyService): string[] =>
  [...byMark(writes)].filter(([, calls]) => calls.length > 1).map(([mark]) => mark);

/** The marks of writes that the service carried out although the answer says that they failed. */
export function deniedWrites(
  results: readonly OperationResult[],
  { writes }: FaultyService,
): string[] {
  const received = byMark(writes);
  return results.flatMap(({ operation: { mark }, errors }) => {
    if (mark === null) return [];
    const carriedOut = received.get(mark)?.some((write) => write.carriedOut) ?? false;
    // Errors below the root are of reads that follow a successful write.
    const isFailed = errors.some(({ isRoot }) => isRoot);
    const isUnknown = errors.some(({ outcomeUnknown }) => outcomeUnknown);
    return carriedOut && isFailed && !isUnknown ? [mark] : [];
  });
}
