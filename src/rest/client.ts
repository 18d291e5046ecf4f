import { Pool } from 'undici';
import { parseJson, toStatusError } from './answer.ts';
import { type BreakerState, createBreaker } from './breaker.ts';
import type { ReportDrift } from './drift.ts';
import {
  type Call,
  type Method,
  MissingTokenError,
  RestError,
  RestNetworkError,
} from './errors.ts';
import { type Answer, type Exchange, exchange, type Limits } from './exchange.ts';
import { createGate, type GateOptions } from './gate.ts';
import type { Observe } from './observe.ts';
import type { Path } from './path.ts';
import { createRedactor } from './redact.ts';
import { withRetries } from './retry.ts';
import { createSharing, type Sharing } from './sharing.ts';

/** Where the service is and how it is spoken to. Times in milliseconds, sizes in bytes. */
export interface ClientOptions extends Limits, GateOptions {
  /** The service's base address, without `/v1`. */
  readonly url: string;
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
  /** When the operation's time is up, on the clock of `performance.now()`. Unit: milliseconds. */
  readonly deadline: number;
  /** Stands around each exchange made for the caller; of a shared GET, for the first who asked. */
  readonly observe: Observe;
}

/** The pool of connections, in numbers: open ones and idle ones, calls on their way and calls that wait for a connection. */
export type PoolStats = Readonly<
  Record<'connected' | 'free' | 'running' | 'pending' | 'queued', number>
>;

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
  stats(): PoolStats;
  /** How many calls were let in and have not ended, those that wait for a connection or a retry included. */
  underWay(): number;
  /** Whether the service is taken to be up. */
  breaker(): BreakerState;
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

  const breaker = createBreaker();
  const gate = createGate(options);

  /** One call with its retries, whatever the answer. */
  const call = (request: Exchange, { observe, deadline }: Caller): Promise<Answer> => {
    const path = prefix + request.path;
    const { call, signal } = request;
    let attempts = 0;
    const attempt = () => {
      const number = attempts;
      attempts += 1;
      return observe({ call, signal, attempt: number }, (observers) =>
        exchange(
          pool,
          { ...request, path, headers: { ...observers, ...request.headers } },
          options,
        ),
      );
    };
    return gate.pass(call, () =>
      withRetries(() => breaker.run(call, attempt, signal), {
        call,
        retries: options.retries,
        signal,
        deadline,
      }),
    );
  };

  return {
    forCaller: (caller) =>
      createSend(caller, { call, sharing, onDrift: options.onDrift }),
    stats: () => pool.stats,
    underWay: () => gate.inside,
    breaker: () => breaker.state,
    close: () => pool.destroy(),
  };
}

interface Wire {
  call(request: Exchange, caller: Caller): Promise<Answer>;
  readonly sharing: Sharing;
  readonly onDrift: ReportDrift;
}

/** The calls as one caller makes them, with its token. */
function createSend(caller: Caller, { call, sharing, onDrift }: Wire): Send {
  const { token, signal } = caller;
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
    const answer = await call({ ...request, headers }, caller);
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
