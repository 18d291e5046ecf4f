import type { Path } from './path.ts';
import { createPool, type HttpResponse, overWire, type WireOptions } from './request.ts';
import { toSeconds } from './response.ts';
import { encodeQuery, type Query } from './send.ts';

interface RawClientOptions extends Omit<WireOptions, 'connections'> {
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
  const wire = { ...options, connections: 1 };
  const pool = createPool(wire);
  const send = overWire(pool, wire);
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${options.token}`,
  };

  return {
    async get({ text, route }, query = {}) {
      const answer = await send({
        call: { method: 'GET', route },
        path: text + encodeQuery(query),
        headers,
        body: null,
        signal: options.signal,
      });
      const retryAfterSeconds =
        answer.status === TOO_MANY_REQUESTS
          ? toSeconds(answer.headers['retry-after'])
          : null;
      return { ...answer, retryAfterSeconds };
    },
    close: () => pool.destroy(),
  };
}
