import type { IncomingHttpHeaders } from 'node:http';
import type { Config } from '../config.ts';
import { createBudget } from '../cost/budget.ts';
import { toBearerToken, toSecret } from '../http/credentials.ts';
import { type ContextOptions, createContext } from '../resolvers/context.ts';
import type { RestClient } from '../rest/client.ts';
import { createRedactor } from '../rest/redact.ts';
import { createWants, NO_WANTS } from '../telemetry/attribution.ts';
import { createJournal } from '../telemetry/call-log.ts';
import { type WatchOptions, watchOperation } from '../telemetry/observer.ts';
import type { OperationContext } from './context.ts';

export interface OperationOptions {
  readonly client: RestClient;
  readonly contextOptions: ContextOptions;
  /** Where it is told how operations go. */
  readonly watching: WatchOptions;
}

/** Makes what belongs to one operation of one caller, and ends with it. */
export const createOperation =
  (
    { operationTimeoutMs, restDebug }: Config,
    { client, contextOptions, watching }: OperationOptions,
  ) =>
  (
    { id, headers }: { id: string; headers: IncomingHttpHeaders },
    signal: AbortSignal,
  ): OperationContext => {
    const watch = watchOperation({ id, headers, signal }, watching);
    const redact = createRedactor(toSecret(headers.authorization));
    const journal = restDebug ? createJournal(redact) : null;
    const budget = createBudget();
    const send = client.forCaller({
      token: toBearerToken(headers.authorization),
      signal,
      deadline: performance.now() + operationTimeoutMs,
      observe: watch.observe,
      spend: budget.spend,
      onCall: journal?.onCall ?? null,
    });
    const wants = journal === null ? NO_WANTS : createWants();
    return {
      ...createContext(send, contextOptions, { takeExtra: budget.takeExtra, wants }),
      requestId: id,
      budget,
      redact,
      watch,
      journal,
    };
  };
