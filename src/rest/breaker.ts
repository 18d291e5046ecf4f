import { type Call, OverloadedError, RestNetworkError } from './errors.ts';
import type { HttpResponse } from './request.ts';

/** `open`: nothing is sent. `half-open`: a call is under way to see whether the service is back. */
export type BreakerState = 'closed' | 'open' | 'half-open';

export interface Breaker {
  /** Makes a call, or throws OverloadedError at once while the service is taken to be down. */
  run(
    call: Call,
    attempt: () => Promise<HttpResponse>,
    signal: AbortSignal,
  ): Promise<HttpResponse>;
  readonly state: BreakerState;
}

export interface BreakerOptions {
  /** Whether, at any time since then, a connection to the service was open; on the clock of `now`. */
  readonly hadConnection: (since: number) => boolean;
  /** Unit: milliseconds. */
  readonly now?: () => number;
}

/** It opens when at least half of at least so many calls failed ... */
const MIN_CALLS = 20;
/** ... within so many seconds. */
const WINDOW_SECONDS = 10;
/** How long it stays open before a call is let through, and how long that one has before another is. Unit: milliseconds. */
const OPEN_MS = 1000;

/** What happened in one second. */
interface Bucket {
  readonly second: number;
  calls: number;
  failures: number;
}

/** A call that was let through. While the circuit is not closed it is a trial: it looks whether the service is back. */
interface Turn {
  readonly began: number;
  readonly era: number;
}

/** What the end of a call says of the service; null: nothing. */
type Verdict = 'well' | 'failing' | null;

/** Spares a service that is down, and callers the wait for it. A 4xx never counts: it is an answer. */
export function createBreaker({
  hadConnection,
  now = performance.now.bind(performance),
}: BreakerOptions): Breaker {
  let state: BreakerState = 'closed';
  /** Counts how often the circuit has opened and closed. What began in another era says nothing of now. */
  let era = 0;
  let buckets: Bucket[] = [];
  let openUntil = 0;
  let lastTrial: Turn | null = null;

  function enter(call: Call): Turn {
    const turn = { began: now(), era };
    if (state === 'closed') return turn;
    const left = openUntil - turn.began;
    if (left > 0) {
      throw new OverloadedError(
        call,
        'not made: the service has been failing',
        left / 1000,
      );
    }
    state = 'half-open';
    lastTrial = turn;
    // Should it hang, the others do not wait for its end: the next trial follows in a second.
    openUntil = turn.began + OPEN_MS;
    return turn;
  }

  function leave(turn: Turn, verdict: Verdict): void {
    if (turn.era !== era) return;
    if (state === 'closed') count(verdict);
    else if (verdict === 'well') change('closed');
    // The failure of a trial that was left behind is no news, and puts off no other.
    else if (turn === lastTrial) {
      state = 'open';
      // Where nothing was found out, the next call looks again.
      openUntil = now() + (verdict === null ? 0 : OPEN_MS);
    }
  }

  function count(verdict: Verdict): void {
    if (verdict === null) return;
    const second = Math.floor(now() / 1000);
    if (buckets.at(-1)?.second !== second) {
      buckets = buckets.filter((bucket) => bucket.second > second - WINDOW_SECONDS);
      buckets.push({ second, calls: 0, failures: 0 });
    }
    const current = buckets.at(-1) as Bucket;
    current.calls += 1;
    if (verdict === 'well') return;
    current.failures += 1;
    const calls = sum(buckets.map((bucket) => bucket.calls));
    const failures = sum(buckets.map((bucket) => bucket.failures));
    if (calls >= MIN_CALLS && failures * 2 >= calls) change('open');
  }

  function change(to: 'open' | 'closed'): void {
    state = to;
    era += 1;
    buckets = [];
    openUntil = now() + OPEN_MS;
  }

  function judge(error: unknown, { began }: Turn, signal: AbortSignal): Verdict {
    // A caller who leaves says nothing of the service.
    if (signal.aborted && !isTimeUp(signal)) return null;
    if (!(error instanceof RestNetworkError)) return 'well';
    const neverLeft = error.kind === 'timeout' && !error.mayHaveLeft;
    // It waited behind other calls; but where there was no connection at all, the service takes none.
    return neverLeft && hadConnection(began) ? null : 'failing';
  }

  return {
    async run(call, attempt, signal) {
      const turn = enter(call);
      try {
        const answer = await attempt();
        leave(turn, answer.status >= 500 ? 'failing' : 'well');
        return answer;
      } catch (error) {
        leave(turn, judge(error, turn, signal));
        throw error;
      }
    },
    get state() {
      return state;
    },
  };
}

const sum = (numbers: readonly number[]) =>
  numbers.reduce((total, number) => total + number, 0);

/** Whether the operation's time was up, which a slow service must answer for; or the caller has left. */
export const isTimeUp = ({ reason }: AbortSignal): boolean =>
  reason instanceof Error && reason.name === 'TimeoutError';
