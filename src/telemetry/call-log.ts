import { type CallOutcome, OverloadedError, RestError } from '../rest/errors.ts';
import type { EndedCall } from '../rest/observe.ts';
import { type FieldPaths, runningFields } from './attribution.ts';

/** One call to the service, as the client whose operation made it sees it. Times in milliseconds. */
export interface CallReport {
  /** `GET /v1/messages?limit=10`. */
  readonly call: string;
  /** When it began, counted from the arrival of the operation. */
  readonly startMs: number;
  readonly durationMs: number;
  /**
   * The status of the answer, or why there was none. `cancelled`: the operation that began it had read too many
   * bytes; `overloaded`: the call was not made, or there was no room for its answer.
   */
  readonly outcome: CallOutcome | 'overloaded';
  /** The size of the answer's body. */
  readonly bytes: number;
  /** Whether another operation of the same token already had this call in flight. */
  readonly shared: boolean;
  readonly retries: number;
  /** Paths of the fields that needed it. */
  readonly fields: readonly string[];
}

export type CallLog = ReturnType<typeof createCallLog>;

/**
 * The calls of one operation, kept in case the client asks for them. `redact` removes the caller's token from a text: an id may
 * contain it. `arrived`: when the operation did, on the clock of `performance.now()`.
 */
export function createCallLog(redact: (text: string) => string, arrived: number) {
  const calls: { call: EndedCall; fields: FieldPaths }[] = [];

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
    add(call: EndedCall): void {
      // The set is kept, not copied: fields that need the same read later are added to it.
      if (wasBegun(call)) calls.push({ call, fields: runningFields() });
    },
    /** In the order in which they began. */
    report: (): CallReport[] =>
      calls.toSorted((a, b) => a.call.began - b.call.began).map(toReport),
  };
}

/** False for a call that did not begin because the operation's time was up. A call refused to prevent overload is reported. */
const wasBegun = ({ attempts, error }: EndedCall): boolean =>
  attempts > 0 || error instanceof OverloadedError;

function toOutcome({ status, error }: EndedCall): CallReport['outcome'] {
  if (error instanceof OverloadedError) return 'overloaded';
  if (error instanceof RestError) return error.outcome;
  // Otherwise the operation's time is up. The client has not left, because it reads this report.
  return error === null && status !== null ? status : 'timeout';
}

const toTenths = (ms: number): number => Math.round(ms * 10) / 10;
