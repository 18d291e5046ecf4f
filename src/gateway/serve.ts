import {
  createHandler,
  createPlugin,
  createUpgrade,
  type Handler,
  type Plugin,
  type Upgrade,
} from '../http/mount.ts';
import { createServer, type GatewayServer } from '../http/server.ts';
import { createExecute, type Execute } from './in-process.ts';
import type { Parts, PartsOptions } from './parts.ts';

/** The ways into a gateway. None of them listens. */
export interface Served {
  readonly server: GatewayServer['server'];
  readonly listen: GatewayServer['listen'];
  readonly execute: Execute;
  readonly handler: Handler;
  readonly fastify: Plugin;
  readonly upgrade: Upgrade;
  /** Refuses what comes from now on through `execute` and other servers; resolves when all else has been answered. */
  finish(): Promise<void>;
}

/** `finish` waits for running operations as long as an operation may take, and this much longer. Unit: milliseconds. */
const GRACE_MS = 1000;

export async function serve(
  parts: Parts,
  {
    corsOrigins,
    operationTimeoutMs,
    explorer,
    maxSubscriptions,
    lingerMs = 0,
  }: PartsOptions,
): Promise<Served> {
  const { metrics, log, maxSendingBytes, holdRequest, callerOf } = parts;
  const { operationTime, streams } = parts;
  const { run, subscribe } = parts.operations;
  const servesExplorer = explorer !== false;
  const { server, handle, listen, drain } = await createServer({
    run,
    subscribe,
    corsOrigins,
    maxSockets: maxSubscriptions,
    log,
    operationTime,
    maxSendingBytes,
    holdRequest,
    callerOf,
    streams,
    metrics,
    servesExplorer,
    learned: parts.learned,
  });
  const { isDraining: isClosing } = drain;
  const mount = { server, handle, isClosing, servesExplorer };
  return {
    server,
    listen,
    execute: createExecute({
      run,
      drain,
      isClosing,
      holdRequest,
      callerOf,
      operationTime,
    }),
    handler: createHandler(mount),
    fastify: createPlugin(mount),
    upgrade: createUpgrade(mount),
    finish: () => drain.finish({ graceMs: operationTimeoutMs + GRACE_MS, lingerMs }),
  };
}
