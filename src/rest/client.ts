import { FairSlots } from '../callers/shares.ts';
import { Admission, type AdmissionOptions, longestWait } from './admission.ts';
import { attempts } from './attempt.ts';
import { Breaker } from './breaker.ts';
import { createMeters, toByteBounds } from './bytes.ts';
import type { ReportDrift } from './drift.ts';
import { InFlight } from './in-flight.ts';
import { Callers } from './known-callers.ts';
import { createPool, secretsOf } from './pool.ts';
import { createRedactors } from './redact.ts';
import { overWire, type WireOptions } from './request.ts';
import { createParse } from './response.ts';
import { type CallerOptions, Send } from './send.ts';

/** See `patienceMs`, which is this part of the longest wait for a connection. */
const PATIENCE = 0.8;

/** Where the service is and how the gateway talks to it. */
export interface ClientOptions extends WireOptions, AdmissionOptions {
  /** What each call carries besides what the gateway writes itself. */
  readonly headers: Readonly<Record<string, string>> | null;
  /** How often a failed call is retried, if it may be repeated. */
  readonly retries: number;
  /** Runs for every field that differs from the interface. */
  readonly onDrift: ReportDrift;
  /** Numbers inside the fields of this name keep all their digits, where the field is asked for. */
  readonly exactField: string;
}

export type RestClient = ReturnType<typeof createRestClient>;

/** One pool of keep-alive connections to the configured origin, shared by all callers. */
export function createRestClient(options: ClientOptions) {
  let lastChange = Number.NEGATIVE_INFINITY;
  const { dispatcher, stats, tryConnection } = createPool(options, () => {
    lastChange = performance.now();
  });
  const admission = new Admission(options);
  const callers = new Callers();
  const breaker = new Breaker({
    callers,
    hadConnection: (since) => lastChange >= since || stats().connected > 0,
    // A first call that waited as long as it may still has half of its operation's time. This is a little less.
    patienceMs: PATIENCE * longestWait(options),
  });
  const pauses = new FairSlots(options.connections + options.maxQueue);
  const call = attempts({
    admission,
    breaker,
    send: overWire(dispatcher, options),
    retries: options.retries,
    pauses,
  });
  const { onDrift, exactField, headers, proxy } = options;
  const inFlight = new InFlight();
  const transport = { call, headers, inFlight, onDrift, parse: createParse(exactField) };

  return {
    forCaller: (caller: CallerOptions) => new Send(caller, transport),
    callerOf: callers.identify,
    /** Makes the function that removes a caller's secret, the values of the fixed headers and the proxy's password from a text. */
    redactorOf: createRedactors([...Object.values(headers ?? {}), ...secretsOf(proxy)]),
    /** Later reads with this token join no GET that began before. */
    forgetReads: inFlight.forget,
    meters: createMeters(toByteBounds(options.maxResponseBytes)),
    /** Counts of the pool: open and idle connections, running calls, and calls that wait for a connection. */
    stats() {
      const { connected, free, running, pending, queued } = stats();
      return { connected, free, running, pending, queued: queued + admission.waiting };
    },
    /** How many admitted calls have not ended, including those that wait for a connection or a retry. */
    underWay: () => admission.running + admission.waiting + pauses.taken,
    breaker: () => breaker.state,
    tryConnection,
    close: () => dispatcher.destroy(),
  };
}
