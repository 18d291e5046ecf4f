import {
  OverloadedError,
  RestDecodeError,
  RestNetworkError,
  RestStatusError,
} from '../rest/errors.ts';
import type { EndedCall, OnCall } from '../rest/observe.ts';
import { type Fields, fieldsAtWork } from './attribution.ts';
import type { CallOutcome } from './outcome.ts';

/** One call to the service, as the operation that made it is told of it. Times in milliseconds. */
export interface CallReport {
  /** `GET /v1/messages?limit=10`. */
  readonly call: string;
  /** When it began, from the arrival of the operation on. */
  readonly startMs: number;
  readonly durationMs: number;
  /** The status of the answer, or why there was none; `overloaded`: the call was not made. */
  readonly outcome: CallOutcome | 'overloaded';
  /** Of the answer's body. */
  readonly bytes: number;
  /** Whether another operation of the same token had this call under way already. */
  readonly shared: boolean;
  /** How often it was made again. */
  readonly retries: number;
  /** Paths of the fields that wanted it. */
  readonly fields: readonly string[];
}

/** The calls of one operation, kept for whoever asks to see them. */
export interface Journal {
  readonly onCall: OnCall;
  /** In the order they began. */
  report(): CallReport[];
}

/** `redact` takes the caller's token out of a text: an id may hold it. */
export function createJournal(redact: (text: string) => string): Journal {
  const arrived = performance.now();
  const calls: { call: EndedCall; fields: Fields }[] = [];

  const toReport = ({ call: ended, fields }: (typeof calls)[number]): CallReport => ({
    call: redact(`${ended.call.method} ${ended.path}`),
    startMs: toTenths(ended.began - arrived),
    durationMs: toTenths(ended.ended - ended.began),
    outcome: toOutcome(ended),
    bytes: ended.bytes,
    shared: ended.isShared,
    retries: Math.max(0, ended.attempts - 1),
    fields: [...fields],
  });

  return {
    onCall(call) {
      if (!isBegun(call)) return;
      // Fields that are added later want it too, and are seen then.
      calls.push({ call, fields: fieldsAtWork() });
    },
    report: () => calls.toSorted((a, b) => a.call.began - b.call.began).map(toReport),
  };
}

/** The operation's time may be up before a call's turn comes; what was refused, for a reason of its own, is told. */
const isBegun = ({ attempts, error }: EndedCall): boolean =>
  attempts > 0 || error instanceof OverloadedError;

function toOutcome({ status, error }: EndedCall): CallReport['outcome'] {
  if (error instanceof OverloadedError) return 'overloaded';
  if (error instanceof RestNetworkError) return error.kind;
  if (error instanceof RestDecodeError) return 'invalid';
  const isAnswered = error === null || error instanceof RestStatusError;
  // What is left has run out of the operation's time; a client that left reads no report.
  return isAnswered && status !== null ? status : 'timeout';
}

const toTenths = (ms: number): number => Math.round(ms * 10) / 10;
