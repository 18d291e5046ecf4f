import { Pool } from 'undici';
import { parseJson, toStatusError } from './answer.ts';
import type { ReportDrift } from './drift.ts';
import {
  type Call,
  type Method,
  MissingTokenError,
  RestError,
  RestNetworkError,
} from './errors.ts';
import { type Answer, type Exchange, exchange, type Limits } from './exchange.ts';
import type { Path } from './path.ts';
import { createRedactor } from './redact.ts';
import { withRetries } from './retry.ts';
import { createSharing, type Sharing } from './sharing.ts';

/** Where the service is and how it is spoken to. Times in milliseconds, sizes in bytes. */
export interface ClientOptions extends Limits {
  /** The service's base address, without `/v1`. */
  readonly url: string;
  readonly connections: number;
  /** How often a read that failed in passing is tried again. */
  readonly retries: number;
  /** Told of every object that is not what the interface says. */
  readonly onDrift: ReportDrift;
}

/** For whom calls are made. */
interface Caller {
  /** The bearer token, without "Bearer "; null if the request carried none. */
  readonly token: string | null;
  /** Aborted when the caller leaves or the operation's time is up. */
  readonly signal: AbortSignal;
}

/** Query parameters of a GET, in the order they are written. */
export type Query = Readonly<Record<string, string | number | boolean>>;

/** Makes a domain value of what a call answered, or throws a RestDecodeError. */
export type Read<T> = (json: unknown, call: Call, report: ReportDrift) => T;

/** One caller's way to the wire. */
export interface Send {
  get<T>(path: Path, read: Read<T>, query?: Query): Promise<T>;
  /** Sends a form and reads the object that came back. */
  write<T>(
    method: 'POST' | 'PUT',
    path: Path,
    { form, read }: { form: string; read: Read<T> },
  ): Promise<T>;
  /** Open point: the body of a delete. Any 2xx is success, whatever it carries. */
  delete(path: Path): Promise<void>;
}

export interface RestClient {
  forCaller(caller: Caller): Send;
  close(): Promise<void>;
}

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** One pool of keep-alive connections to the one configured origin, shared by all callers. */
export function createRestClient(options: ClientOptions): RestClient {
  const { origin, pathname } = new URL(options.url);
  const prefix = pathname.replace(/\/+$/, '');
  // Bounds in time are ours, to the last byte; undici's coarse timers are switched off.
  const pool = new Pool(origin, {
    connections: options.connections,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: options.timeoutMs },
  });
  const sharing = createSharing();

  /** One call with its retries, whatever the answer. */
  const call = (request: Exchange): Promise<Answer> =>
    withRetries(
      () => exchange(pool, { ...request, path: prefix + request.path }, options),
      {
        call: request.call,
        retries: options.retries,
        signal: request.signal,
      },
    );

  return {
    forCaller: (caller) =>
      createSend(caller, { call, sharing, onDrift: options.onDrift }),
    close: () => pool.destroy(),
  };
}

interface Wire {
  call(request: Exchange): Promise<Answer>;
  readonly sharing: Sharing;
  readonly onDrift: ReportDrift;
}

/** The calls as one caller makes them, with its token. */
function createSend({ token, signal }: Caller, { call, sharing, onDrift }: Wire): Send {
  const redact = createRedactor(token);
  const report: ReportDrift = (drift) =>
    onDrift({ ...drift, field: redact(drift.field) });

  /** A status that is no success is an error. */
  async function send(
    request: Omit<Exchange, 'headers'>,
    bearer: string,
  ): Promise<Answer> {
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${bearer}`,
      ...(request.body === null ? {} : { 'content-type': FORM_TYPE }),
    };
    const answer = await call({ ...request, headers });
    if (answer.status >= 200 && answer.status <= 299) return answer;
    throw toStatusError(request.call, answer, redact);
  }

  /** A write is never shared; once it has ended, no read joins one that began before. */
  async function write(method: Method, path: Path, body: string | null): Promise<Answer> {
    if (token === null) throw new MissingTokenError();
    try {
      const call = { method, route: path.route };
      return await send({ call, path: path.text, body, signal }, token);
    } finally {
      sharing.forget(token);
    }
  }

  return {
    async get({ text, route }, read, query = {}) {
      if (token === null) throw new MissingTokenError();
      const call: Call = { method: 'GET', route };
      const url = text + encodeQuery(query);
      const start = async (stop: AbortSignal) =>
        parseJson(call, await send({ call, path: url, body: null, signal: stop }, token));
      try {
        signal.throwIfAborted();
        return read(await sharing.read({ token, url, signal }, start), call, report);
      } catch (error) {
        if (error instanceof RestError || !signal.aborted) throw error;
        throw new RestNetworkError(call, {
          kind: 'timeout',
          mayHaveLeft: true,
          cause: error,
        });
      }
    },
    async write(method, path, { form, read }) {
      const call: Call = { method, route: path.route };
      return read(parseJson(call, await write(method, path, form)), call, report);
    },
    async delete(path) {
      await write('DELETE', path, null);
    },
  };
}

/** `?a=1&b=2`, or nothing. */
export function encodeQuery(query: Query): string {
  const pairs = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
