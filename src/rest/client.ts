import { Pool } from 'undici';
import { type AdmissionOptions, createAdmission } from './admission.ts';
import { type BreakerState, createBreaker } from './breaker.ts';
import type { ReportDrift } from './drift.ts';
import { createInFlight } from './in-flight.ts';
import { type HttpResponse, type Limits, sendRequest } from './request.ts';
import { withRetries } from './retry.ts';
import { type Caller, createSend, type OutgoingRequest, type Send } from './send.ts';

/** Where the service is and how it is spoken to. Times in milliseconds, sizes in bytes. */
export interface ClientOptions extends Limits, AdmissionOptions {
  /** The service's base address, without `/v1`. */
  readonly url: string;
  /** How often a read that failed in passing is tried again. */
  readonly retries: number;
  /** Told of every object that is not what the interface says. */
  readonly onDrift: ReportDrift;
}

/** The pool of connections, in numbers: open ones and idle ones, calls on their way and calls that wait for a connection. */
export type PoolStats = Readonly<
  Record<'connected' | 'free' | 'running' | 'pending' | 'queued', number>
>;

export interface RestClient {
  forCaller(caller: Caller): Send;
  stats(): PoolStats;
  /** How many calls were let in and have not ended, those that wait for a connection or a retry included. */
  underWay(): number;
  /** Whether the service is taken to be up. */
  breaker(): BreakerState;
  close(): Promise<void>;
}

/** One pool of keep-alive connections to the one configured origin, shared by all callers. */
export function createRestClient(options: ClientOptions): RestClient {
  const { origin, pathname } = new URL(options.url);
  const prefix = pathname.replace(/\/+$/, '');
  // Bounds in time are ours, to the last byte; undici's coarse timers are switched off.
  const pool = new Pool(origin, {
    connections: options.connections,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: options.timeoutMs },
  });
  const inFlight = createInFlight();

  const breaker = createBreaker({ hadConnection: watchConnections(pool) });
  const admission = createAdmission(options);

  /** One call with its retries, whatever the answer. */
  const call = (
    outgoing: OutgoingRequest,
    { observe, deadline }: Caller,
  ): Promise<HttpResponse> => {
    const path = prefix + outgoing.path;
    const { call, signal, progress } = outgoing;
    const attempt = async () => {
      const number = progress.attempts;
      progress.attempts += 1;
      const answer = await observe({ call, signal, attempt: number }, (observers) =>
        sendRequest(
          pool,
          { ...outgoing, path, headers: { ...observers, ...outgoing.headers } },
          options,
        ),
      );
      progress.status = answer.status;
      progress.bytes = answer.bytes;
      return answer;
    };
    return admission.pass(call, () =>
      withRetries(() => breaker.run(call, attempt, signal), {
        call,
        retries: options.retries,
        signal,
        deadline,
      }),
    );
  };

  return {
    forCaller: (caller) =>
      createSend(caller, { call, inFlight, onDrift: options.onDrift }),
    stats: () => pool.stats,
    underWay: () => admission.inside,
    breaker: () => breaker.state,
    close: () => pool.destroy(),
  };
}

/** Whether, at any time since then, one of the pool's connections was open. On the clock of `performance.now()`. */
function watchConnections(pool: Pool): (since: number) => boolean {
  let lastOpen = Number.NEGATIVE_INFINITY;
  const note = () => {
    lastOpen = performance.now();
  };
  pool.on('connect', note).on('disconnect', note);
  return (since) => lastOpen >= since || pool.stats.connected > 0;
}
