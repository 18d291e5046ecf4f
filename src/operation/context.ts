import type { GraphQLError } from 'graphql';
import { Budget } from '../cost/budget.ts';
import type { Prepared } from '../document/prepare.ts';
import { refusal } from '../document/refusal.ts';
import { type ContextOptions, GatewayContext } from '../resolvers/context.ts';
import type { Meter } from '../rest/bytes.ts';
import type { RestClient } from '../rest/client.ts';
import { Attribution } from '../telemetry/attribution.ts';
import { type CallLog, createCallLog } from '../telemetry/call-log.ts';
import { ObservedOperation, type ObserverOptions } from '../telemetry/observer.ts';
import type { OperationRequest } from './request.ts';

/** The parts that all operations share. */
export interface OperationOptions {
  readonly client: RestClient;
  readonly context: ContextOptions;
  readonly observers: ObserverOptions;
  /** Whether an operation may ask which calls it made. */
  readonly restDebug: boolean;
}

/** The memory of a parsed document for each of its tokens. Unit: bytes. */
const BYTES_PER_TOKEN = 320;

/** Everything that one operation owns: what its resolvers see, and what only the stages need. */
export class OperationContext extends GatewayContext {
  readonly request: OperationRequest;
  /** The bytes it exchanges with the service. */
  readonly meter: Meter;
  /** Replaces the caller's token in a text. */
  readonly redact: (text: string) => string;
  readonly observer: ObservedOperation;
  /** The calls it made; null unless clients may ask for them. */
  readonly callLog: CallLog | null;

  constructor(
    request: OperationRequest,
    { client, context, observers, restDebug }: OperationOptions,
  ) {
    const { id, caller, secret, headers, lifetime } = request;
    const redact = client.redactorOf(secret, caller.forwarded);
    const callLog = restDebug ? createCallLog(redact, lifetime.arrived) : null;
    const observed = { id, headers, lifetime, callLog };
    const observer = new ObservedOperation(observed, observers);
    const budget = new Budget();
    const meter = client.meters.open(caller);
    const send = client.forCaller({
      signal: lifetime,
      deadline: lifetime.deadline,
      observer,
      budget,
      meter,
      redact,
    });
    const attribution = callLog && new Attribution();
    const lastEventId = headers['last-event-id']?.toString() || null;
    super({ send, budget, attribution, lastEventId }, context);
    this.request = request;
    this.meter = meter;
    this.redact = redact;
    this.observer = observer;
    this.callLog = callLog;
  }

  /** Counts its document as held until it is over. Returns the refusal if there is no room for it, or null. */
  hold(prepared: Prepared): GraphQLError | null {
    const { tokens, characters } = prepared;
    const bytes = tokens * BYTES_PER_TOKEN + characters * 2;
    return this.meter.holdDocument(prepared, bytes) ? null : noRoom();
  }
}

/** The error for a long document while the operations that run hold too much memory. */
const noRoom = () =>
  refusal(
    'OVERLOADED',
    'The operations that run hold too many bytes already: send this one again later, or a shorter one.',
    { retryAfterSeconds: 1, status: 429 },
  );
