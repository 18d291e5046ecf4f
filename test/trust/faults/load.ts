import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../../support/gateway.ts';
import { type CheckedError, checkAnswer } from './check-answer.ts';
import type { FaultyService, ReceivedWrite } from './faulty-service.ts';
import { type MixedOperation, toMark } from './mixed-operations.ts';

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
