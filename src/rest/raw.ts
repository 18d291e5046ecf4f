import { NEVER } from '../callers/abort.ts';
import { encodeQuery, type Path, type Query } from './path.ts';
import { createPool } from './pool.ts';
import {
  type HttpRequest,
  type HttpResponse,
  overWire,
  type WireOptions,
} from './request.ts';
import { USER_AGENT } from './user-agent.ts';

export interface RawClientOptions extends Omit<WireOptions, 'connections'> {
  /** The bearer token, without "Bearer ". */
  readonly token: string;
  /** As `ClientOptions.headers`. */
  readonly headers?: Readonly<Record<string, string>> | null | undefined;
}

export type RawClient = ReturnType<typeof createRawClient>;

/**
 * Opens one connection to the service, for a client that can only read. It returns every response unchanged, and never
 * retries or shares a call.
 */
export function createRawClient(options: RawClientOptions) {
  const wire = { ...options, connections: 1 };
  const { dispatcher } = createPool(wire);
  const send = overWire(dispatcher, wire);
  const headers = {
    ...options.headers,
    accept: 'application/json',
    'user-agent': USER_AGENT,
    authorization: `Bearer ${options.token}`,
  };

  return {
    /** Throws RestNetworkError, or RestDecodeError if the response is too long. */
    get({ text, route }: Path, query: Query = {}): Promise<HttpResponse> {
      const request: HttpRequest = {
        call: { method: 'GET', route },
        path: text + encodeQuery(query),
        headers,
        body: null,
        signal: NEVER,
        meter: null,
      };
      return new Promise((resolve, reject) => send(request, { resolve, reject }));
    },
    close: () => dispatcher.destroy(),
  };
}
