import { Pool } from 'undici';
import type { Path } from './path.ts';
import { createRedactor } from './redact.ts';
import { type HttpResponse, type Limits, sendRequest } from './request.ts';
import { toStatusError } from './response.ts';
import { encodeQuery, type Query } from './send.ts';

interface RawClientOptions extends Limits {
  /** The service's base address, without `/v1`. */
  readonly url: string;
  /** The bearer token, without "Bearer ". */
  readonly token: string;
  readonly signal: AbortSignal;
}

/** An answer as it came, whatever its status. Its text may hold anything, the token too. */
export interface RawAnswer extends HttpResponse {
  /** What a 429 asks for; null where it does not say. */
  readonly retryAfterSeconds: number | null;
}

/** A client that can read and nothing else: no write, no retries, no sharing, no status that is an error. */
export interface RawClient {
  get(path: Path, query?: Query): Promise<RawAnswer>;
  close(): Promise<void>;
}

const TOO_MANY_REQUESTS = 429;

/** One connection to the service. `get` throws RestNetworkError, and RestDecodeError for an answer too long. */
export function createRawClient(options: RawClientOptions): RawClient {
  const { origin, pathname } = new URL(options.url);
  const prefix = pathname.replace(/\/+$/, '');
  // Bounds in time are ours, as in client.ts.
  const pool = new Pool(origin, {
    connections: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: options.timeoutMs },
  });
  const redact = createRedactor(options.token);
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${options.token}`,
  };

  return {
    async get({ text, route }, query = {}) {
      const call = { method: 'GET', route } as const;
      const path = prefix + text + encodeQuery(query);
      const request = { call, path, headers, body: null, signal: options.signal };
      const answer = await sendRequest(pool, request, options);
      const retryAfterSeconds =
        answer.status === TOO_MANY_REQUESTS
          ? toStatusError(call, answer, redact).details.retryAfterSeconds
          : null;
      return { ...answer, retryAfterSeconds };
    },
    close: () => pool.destroy(),
  };
}
