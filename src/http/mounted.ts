import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Answers one request for GraphQL. With `next`, requests that are not for GraphQL are passed on. */
export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

/** Answers one request for a WebSocket. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface PluginOptions {
  /** Below the plugin's prefix. Default `/graphql`, or `/` if the prefix ends with `/graphql`. */
  readonly path?: string;
}

/** A plugin for Fastify, whose types only those have who use it. */
export type Plugin = (
  host: { readonly prefix: string },
  options: PluginOptions,
) => Promise<void>;
