import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultyService, ReceivedWrite } from './faulty-service.ts';
import { type JudgedError, judge } from './judge.ts';
import { type Known, type MixedOperation, toMark } from './mixed-operations.ts';

/** One operation and how it ended. */
export interface Held {
  readonly operation: MixedOperation;
  readonly errors: readonly JudgedError[];
  /** Unit: milliseconds. */
  readonly tookMs: number;
}

export interface StormOptions {
  readonly url: string;
  readonly token: string;
  readonly operations: number;
  /** How many clients ask at once, each again as soon as it is answered. */
  readonly clients: number;
  readonly next: () => MixedOperation;
  /** How long each waits between an answer and its next operation. Unit: milliseconds; default: not at all. */
  readonly pauseMs?: number;
}

/** Sends operations and judges every answer; throws at the first that is none GraphQL may give. */
export async function storm(options: StormOptions): Promise<Held[]> {
  const held: Held[] = [];
  let sent = 0;
  const client = async () => {
    while (sent < options.operations) {
      sent += 1;
      held.push(await hold(options, options.next()));
      if (options.pauseMs) await sleep(options.pauseMs);
    }
  };
  await Promise.all(Array.from({ length: options.clients }, client));
  return held;
}

/** What no deadline of the gateway may exceed by far: then the test ends instead of hanging. Unit: milliseconds. */
const HANGS_MS = 30_000;

async function hold(
  { url, token }: StormOptions,
  operation: MixedOperation,
): Promise<Held> {
  const began = performance.now();
  const { query, variables } = operation;
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
    signal: AbortSignal.timeout(HANGS_MS),
  });
  const errors = judge(response.status, await response.json());
  return { operation, errors, tookMs: performance.now() - began };
}

/** The longest answer. Unit: milliseconds. */
export const longestOf = (held: readonly Held[]): number =>
  Math.max(...held.map(({ tookMs }) => tookMs));

/** The writes that the service received, by their mark. */
function byMark(writes: readonly ReceivedWrite[]): Map<string, ReceivedWrite[]> {
  const found = new Map<string, ReceivedWrite[]>();
  for (const write of writes) {
    const mark = toMark(write.line, write.form);
    found.set(mark, [...(found.get(mark) ?? []), write]);
  }
  return found;
}

/** Marks of the writes that the service received more than once. */
export const doubled = ({ writes }: FaultyService): string[] =>
  [...byMark(writes)].filter(([, calls]) => calls.length > 1).map(([mark]) => mark);

/** Writes that were carried out though the answer says, or lets believe, that they were not. */
export function denied(held: readonly Held[], { writes }: FaultyService): string[] {
  const received = byMark(writes);
  return held.flatMap(({ operation: { mark }, errors }) => {
    if (mark === null || errors.length === 0) return [];
    const carriedOut = received.get(mark)?.some((write) => write.carriedOut) ?? false;
    // The write itself succeeded where only a read behind it failed; then its payload is there.
    const isOpen = errors.some(({ outcomeUnknown }) => outcomeUnknown);
    const isOfTheWrite = errors.some(({ isRoot }) => isRoot);
    return carriedOut && isOfTheWrite && !isOpen ? [mark] : [];
  });
}

/** What the embedded service holds for a caller. */
export async function readKnown(serviceUrl: string, token: string): Promise<Known> {
  const ids = async (path: string): Promise<string[]> => {
    const response = await fetch(`${serviceUrl}/v1/${path}?limit=100000`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { data } = (await response.json()) as { data: { id: string }[] };
    return data.map(({ id }) => id);
  };
  return { messages: await ids('messages'), conversations: await ids('conversations') };
}
