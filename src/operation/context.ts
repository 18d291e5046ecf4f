import type { FieldNode } from 'graphql';
import { type Budget, createBudget } from '../cost/budget.ts';
import type { RequestedPage } from '../paging/cost.ts';
import {
  type ContextOptions,
  createResolverContext,
  type GatewayContext,
} from '../resolvers/context.ts';
import type { Meter } from '../rest/bytes.ts';
import type { RestClient } from '../rest/client.ts';
import { createRedactor } from '../rest/redact.ts';
import { createAttribution } from '../telemetry/attribution.ts';
import { type CallLog, createCallLog } from '../telemetry/call-log.ts';
import {
  type ObserverOptions,
  type OperationObserver,
  observeOperation,
} from '../telemetry/observer.ts';
import type { Accepts, OperationRequest, StreamSlot } from './request.ts';

/** Everything that one operation owns: what its resolvers see, and what only the stages need. */
export interface OperationContext extends GatewayContext {
  readonly requestId: string;
  readonly accepts: Accepts;
  /** The caller whose turns of the thread it uses: its token, or the empty text. */
  readonly caller: string;
  /** The REST calls it may make, and has made. */
  readonly budget: Budget;
  /** The bytes it exchanges with the service. */
  readonly meter: Meter;
  /** The page that each list field asks for. */
  readonly pages: Map<FieldNode, RequestedPage>;
  /** Replaces the caller's token in a text. */
  readonly redact: (text: string) => string;
  readonly observer: OperationObserver;
  /** The calls it made; null unless clients may ask for them. */
  readonly callLog: CallLog | null;
  /** Where a subscription is put that has begun; null: this request cannot begin one. */
  readonly stream: StreamSlot | null;
  /** The value of the header by which tools ask for extensions; undefined if it was not sent. */
  readonly extensionsHeader: string | undefined;
}

/** What all operations share. */
export interface OperationOptions {
  readonly client: RestClient;
  readonly context: ContextOptions;
  readonly observers: ObserverOptions;
  /** Whether an operation may ask which calls it made. */
  readonly restDebug: boolean;
}

/** Creates the context of one operation. */
export function createOperationContext(
  { id, token, secret, headers, accepts, signal, deadline, stream }: OperationRequest,
  { client, context, observers, restDebug }: OperationOptions,
): OperationContext {
  const redact = createRedactor(secret);
  const callLog = restDebug ? createCallLog(redact) : null;
  const observer = observeOperation({ id, headers, signal, callLog }, observers);
  const budget = createBudget();
  const meter = client.meters.open(token);
  const pages = new Map<FieldNode, RequestedPage>();
  const send = client.forCaller({
    token,
    signal,
    deadline,
    observer: observer.calls,
    spend: budget.spend,
    meter,
  });
  const attribution = callLog && createAttribution();
  return {
    ...createResolverContext({ token, send, budget, pages, attribution }, context),
    requestId: id,
    accepts,
    caller: token ?? '',
    budget,
    meter,
    pages,
    redact,
    observer,
    callLog,
    stream: stream ?? null,
    extensionsHeader: headers[EXTENSIONS_HEADER]?.toString(),
  };
}

/** For tools that cannot send `extensions`, such as Apollo Sandbox: the names of extensions, separated by commas. */
const EXTENSIONS_HEADER = 'x-extensions';
