import { hasLeft, type Signal } from './abort.ts';
import { RestNetworkError } from './errors.ts';

/**
 * What the end of a call says about the service; null if it says nothing. A 4xx is an answer, so the service is well.
 * `failing`: perhaps for this caller only. `unreachable`: no connection could be established, so it is down for all.
 */
export type Verdict = 'well' | 'failing' | 'unreachable' | null;

export interface JudgeOptions {
  /** Whether any connection to the service was open at or after `since`, on the clock of the calls. */
  readonly hadConnection: (since: number) => boolean;
  /**
   * How long a call must have had a connection, so that a timeout is a failure of the service. The time of a call may end
   * soon after it begins, because the call has waited, or because its operation began long before. Unit: milliseconds.
   */
  readonly patienceMs: number;
}

/** A call that ended without an answer. Times in milliseconds. */
interface FailedCall {
  readonly error: unknown;
  readonly signal: Signal;
  /** When it got a connection. */
  readonly began: number;
  readonly ended: number;
}

export const judgeAnswer = (status: number): Verdict =>
  status >= 500 ? 'failing' : 'well';

/** Statuses that refuse a token. The service may check tokens although it can do nothing else, and anybody can send a bad one. */
const REFUSED_TOKEN: readonly number[] = [401, 403];

/** What an answer to one caller says about the service for all. */
export const judgeForAll = (status: number): Verdict =>
  REFUSED_TOKEN.includes(status) ? null : judgeAnswer(status);

export function judgeFailure(
  { error, signal, began, ended }: FailedCall,
  { hadConnection, patienceMs }: JudgeOptions,
): Verdict {
  // A caller that leaves says nothing about the service.
  if (hasLeft(signal)) return null;
  // The gateway could not read the answer, or gave it up.
  if (!(error instanceof RestNetworkError)) return 'well';
  const { kind, mayHaveLeft } = error;
  if (kind === 'unreachable') return mayHaveLeft ? 'failing' : 'unreachable';
  if (mayHaveLeft) return ended - began >= patienceMs ? 'failing' : null;
  // Its time was too short for a new connection. But if no connection was open at all, the service accepts none.
  return hadConnection(began) ? null : 'unreachable';
}
