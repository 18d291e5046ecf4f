import type { Call } from './errors.ts';
import type { Answer } from './exchange.ts';

/** One exchange with the service that is about to begin. */
interface ObservedExchange {
  readonly call: Call;
  /** 0; above, it is a retry. */
  readonly attempt: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/**
 * Stands around each exchange of one caller, to count, time or trace it. Calls `send` once, with headers that go along,
 * and passes on what it answers or throws.
 */
export type Observe = (
  exchange: ObservedExchange,
  send: (headers: Readonly<Record<string, string>>) => Promise<Answer>,
) => Promise<Answer>;
