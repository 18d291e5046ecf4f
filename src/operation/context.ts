import { Budget } from '../cost/budget.ts';
import { type ContextOptions, GatewayContext } from '../resolvers/context.ts';
import type { Meter } from '../rest/bytes.ts';
import type { CallerId } from '../rest/caller-id.ts';
import type { RestClient } from '../rest/client.ts';
import { createRedactor } from '../rest/redact.ts';
import { Attribution } from '../telemetry/attribution.ts';
import { type CallLog, createCallLog } from '../telemetry/call-log.ts';
import { ObservedOperation, type ObserverOptions } from '../telemetry/observer.ts';
import type { Accepts, OperationRequest, StreamSlot } from './request.ts';

/** What all operations share. */
export interface OperationOptions {
  readonly client: RestClient;
  readonly context: ContextOptions;
  readonly observers: ObserverOptions;
  /** Whether an operation may ask which calls it made. */
  readonly restDebug: boolean;
}

/** Everything that one operation owns: what its resolvers see, and what only the stages need. */
export class OperationContext extends GatewayContext {
  readonly requestId: string;
  readonly accepts: Accepts;
  /** The caller whose share it uses. */
  readonly caller: CallerId;
  /** The bytes it exchanges with the service. */
  readonly meter: Meter;
  /** Replaces the caller's token in a text. */
  readonly redact: (text: string) => string;
  readonly observer: ObservedOperation;
  /** The calls it made; null unless clients may ask for them. */
  readonly callLog: CallLog | null;
  /** Where a subscription is put that has begun; null: this request cannot begin one. */
  readonly stream: StreamSlot | null;
  /** The value of the header by which tools ask for extensions; undefined if it was not sent. */
  readonly extensionsHeader: string | undefined;

  constructor(
    request: OperationRequest,
    { client, context, observers, restDebug }: OperationOptions,
  ) {
    const { id, token, address, secret, headers, accepts } = request;
    const { signal, deadline, stream } = request;
    const redact = createRedactor(secret);
    const callLog = restDebug ? createCallLog(redact) : null;
    const observer = new ObservedOperation({ id, headers, signal, callLog }, observers);
    const budget = new Budget();
    const meter = client.meters.open(token, address);
    const send = client.forCaller({
      token,
      signal,
      deadline,
      observer,
      budget,
      meter,
    });
    const attribution = callLog && new Attribution();
    super({ token, address, send, budget, attribution }, context);
    this.requestId = id;
    this.accepts = accepts;
    this.caller = meter.caller;
    this.meter = meter;
    this.redact = redact;
    this.observer = observer;
    this.callLog = callLog;
    this.stream = stream ?? null;
    this.extensionsHeader = headers[EXTENSIONS_HEADER]?.toString();
  }
}

/** For tools that cannot send `extensions`, such as Apollo Sandbox: the names of extensions, separated by commas. */
const EXTENSIONS_HEADER = 'x-extensions';
