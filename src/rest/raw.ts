import { Pool } from 'undici';
import type { Path } from './path.ts';
import { type HttpResponse, type Limits, sendRequest } from './request.ts';
import { encodeQuery, type Query } from './send.ts';

interface RawClientOptions extends Limits {
  /** The service's base address, without `/v1`. */
  readonly url: string;
  /** The bearer token, without "Bearer ". */
  readonly token: string;
  readonly signal: AbortSignal;
}

/** A client that can only read. It returns every response as it came, and never retries or shares a call. */
export interface RawClient {
  /** Throws RestNetworkError, or RestDecodeError if the response is too long. */
  get(path: Path, query?: Query): Promise<HttpResponse>;
  close(): Promise<void>;
}

/** Opens one connection to the service. */
export function createRawClient(options: RawClientOptions): RawClient {
  const { origin, pathname } = new URL(options.url);
  const prefix = pathname.replace(/\/+$/, '');
  // sendRequest bounds the time of each call; undici's own timeouts are off, as in client.ts.
  const pool = new Pool(origin, {
    connections: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: options.timeoutMs },
  });
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${options.token}`,
  };

  return {
    async get({ text, route }, query = {}) {
      const call = { method: 'GET', route } as const;
      const path = prefix + text + encodeQuery(query);
      const request = { call, path, headers, body: null, signal: options.signal };
      return sendRequest(pool, request, options);
    },
    close: () => pool.destroy(),
  };
}
