// The types of this file need those of Node, and TypeScript does not look for them by itself.
/// <reference types="node" preserve="true" />

import type { AddressInfo } from 'node:net';
import type { GraphQLSchema } from 'graphql';
import type { SampleUser } from './embedded/sample/mailboxes.ts';
import { toUrl } from './embedded/service.ts';
import type { Execute } from './gateway/execute.ts';
import { createInProcess } from './gateway/in-process.ts';
import type { GatewayOptions } from './gateway/options.ts';
import { createParts } from './gateway/parts.ts';
import { openService } from './gateway/service.ts';
import { type ProcessOptions, type Settings, toSettings } from './gateway/settings.ts';
import { createHandler, createPlugin, createUpgrade } from './http/mount.ts';
import type { Handler, Plugin, Upgrade } from './http/mounted.ts';
import { createServer } from './http/server.ts';
import type { DriftCount } from './rest/drift.ts';
import { logStart } from './telemetry/start-log.ts';

export { type Config, ConfigError, type Environment, loadConfig } from './config.ts';
export type { Answers } from './embedded/answers.ts';
export type { SampleUser } from './embedded/sample/mailboxes.ts';
export {
  type Call,
  type EmbeddedOptions,
  type EmbeddedService,
  startEmbeddedService,
} from './embedded/service.ts';
export type { Execute, ExecuteRequest } from './gateway/execute.ts';
export type { GatewayOptions } from './gateway/options.ts';
export type { Handler, Plugin, PluginOptions, Upgrade } from './http/mounted.ts';
export { printSchema } from './resolvers/schema-text.ts';
export type { DriftCount } from './rest/drift.ts';
export type { HostLogger } from './telemetry/host-logger.ts';

/** A gateway in this process. It does not listen: execute operations, or mount it into a server. */
export interface Gateway {
  readonly execute: Execute;
  /** For `node:http`, Express and others that call functions with a request, a response and perhaps `next`. */
  readonly handler: Handler;
  /** For `app.register` of Fastify. */
  readonly fastify: Plugin;
  /** For the event `upgrade` of a server: WebSockets. Give it the requests for the gateway's path only. */
  readonly upgrade: Upgrade;
  readonly schema: GraphQLSchema;
  /** The users of the embedded service, if that is what the gateway is in front of; otherwise empty. */
  readonly sampleUsers: readonly SampleUser[];
  /** The gateway's metrics in Prometheus' text format, without those of the process; empty if `metrics` is false. */
  metrics(): Promise<string>;
  /** Counts the fields in which the service's objects differ from the interface. */
  drift(): readonly DriftCount[];
  /** Reads the manifest of `trustedDocuments` again. A broken one is logged, and the one before stays. */
  reload(): void;
  /**
   * Refuses new operations at once; resolves when every accepted one has been answered, or cut off at the end of its time,
   * and all connections are closed.
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A gateway that listens. Its `close` makes /readyz answer 503 at once, and serves open connections to their end. */
export interface ListeningGateway extends Gateway {
  /** Its address, such as `http://127.0.0.1:4000`; GraphQL is at `/graphql`. */
  readonly url: string;
}

/** Makes a gateway that does not listen. Throws a ConfigError for wrong settings. */
export async function createGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { gateway, begin } = await assemble(options);
  begin();
  return gateway;
}

/** Makes a gateway and listens on `host` and `port`. Throws a ConfigError for wrong settings. */
export async function startGateway(
  options: GatewayOptions = {},
): Promise<ListeningGateway> {
  const { gateway, server, listen, settings, begin } = await assemble(options);
  try {
    await listen(settings);
  } catch (error) {
    await gateway.close();
    throw error;
  }
  begin();
  return { ...gateway, url: toUrl(server.address() as AddressInfo) };
}

async function assemble(options: ProcessOptions) {
  const service = await openService(toSettings(options));
  const { sampleUsers } = service;
  const [user] = sampleUsers;
  const explorerToken = service.settings.explorerToken ?? user?.token;
  const settings: Settings = { ...service.settings, explorerToken };
  const parts = await createParts(settings).catch(async (error) => {
    await service.close();
    throw error;
  });
  const { server, handle, reply, listen, drain } = createServer(parts.server);
  const { servesExplorer } = parts.server;
  const mount = { server, handle, reply, drain, servesExplorer };
  const closing = new AbortController();
  const close = once(async () => {
    closing.abort();
    const graceMs = settings.operationTimeoutMs + GRACE_MS;
    await drain.finish({ graceMs, lingerMs: settings.lingerMs ?? 0 });
    await parts.close();
    await service.close();
  });
  const gateway: Gateway = {
    execute: createInProcess({ ...parts.server, drain }),
    handler: createHandler(mount),
    fastify: createPlugin(mount),
    upgrade: createUpgrade(mount),
    schema: parts.schema,
    sampleUsers,
    metrics: async () => (await parts.metrics?.ownText()) ?? '',
    drift: parts.drift,
    reload: parts.reload,
    close,
    [Symbol.asyncDispose]: close,
  };
  /** To be called when the gateway has started. */
  const begin = () => {
    parts.begin();
    if (settings.startIsLogged) return;
    const isSample = user !== undefined && !options.messagingUrl;
    void logStart(parts.server.log, {
      shownSettings: settings.shownSettings,
      warnings: [
        ...(servesExplorer && parts.server.explorerFiles === null ? [NO_EXPLORER] : []),
        ...(settings.warnings ?? []),
        ...(isSample ? [ONLY_SAMPLES] : []),
      ],
      tryConnection: parts.tryConnection,
      signal: closing.signal,
    });
  };
  return { gateway, server, listen, settings, begin };
}

/** `close` waits for running operations as long as an operation may take, and this much longer. Unit: milliseconds. */
const GRACE_MS = 1000;

const NO_EXPLORER = 'the explorer has no files: "npm run build:explorer" makes them';

const ONLY_SAMPLES =
  'messagingUrl is not set, so all data are samples from an embedded service.';

/** Returns the same promise to every caller. */
function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => {
    running ??= run();
    return running;
  };
}
