import { hasLeft, type Signal } from './abort.ts';
import { RestDecodeError, RestNetworkError } from './errors.ts';

/**
 * What the end of a call says about the service; null if it says nothing. Most 4xx are answers of a service that is well.
 * `failing`: perhaps for this caller only. `unreachable`: no connection could be established, so it is down for all.
 */
export type Verdict = 'well' | 'failing' | 'unreachable' | null;

export interface JudgeOptions {
  /** Whether any connection to the service was open at or after `since`, on the clock of the calls. */
  readonly hadConnection: (since: number) => boolean;
  /**
   * How long a call must have had a connection, so that a timeout is a failure of the service. The time of its operation
   * may be up soon after it began. Unit: milliseconds.
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

/** Statuses that refuse a token. The service may check tokens although it can do nothing else, and anybody can send a bad one. */
const REFUSED_TOKEN: readonly number[] = [401, 403];

export function judgeAnswer(status: number): Verdict {
  if (status >= 500) return 'failing';
  return REFUSED_TOKEN.includes(status) ? null : 'well';
}

export function judgeFailure(
  { error, signal, began, ended }: FailedCall,
  { hadConnection, patienceMs }: JudgeOptions,
): Verdict {
  // A caller that leaves says nothing about the service.
  if (hasLeft(signal)) return null;
  // The gateway could not read the answer.
  if (error instanceof RestDecodeError) return 'well';
  // The gateway gave the call up, perhaps before it was sent: its operation may read no more.
  if (!(error instanceof RestNetworkError)) return null;
  const { kind, mayHaveLeft } = error;
  if (kind === 'unreachable') return mayHaveLeft ? 'failing' : 'unreachable';
  if (mayHaveLeft) return ended - began >= patienceMs ? 'failing' : null;
  // Its time was too short for a new connection. But if no connection was open at all, the service accepts none.
  return hadConnection(began) ? null : 'unreachable';
}
