import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { toCallerKey } from './caller-key.ts';
import type { Handler } from './chain.ts';
import type { ReportDrift } from './drift.ts';
import { type Call, MissingTokenError, RestError, RestNetworkError } from './errors.ts';
import type { InFlight } from './in-flight.ts';
import { type CallObserver, type Progress, reported } from './observe.ts';
import type { Path } from './path.ts';
import { createRedactor } from './redact.ts';
import { parseJson, toSuccess } from './response.ts';

/** For whom calls are made. */
export interface Caller {
  /** The bearer token, without "Bearer "; null if the request carried none. */
  readonly token: string | null;
  /** Aborted when the caller leaves or the operation's time is up. */
  readonly signal: AbortSignal;
  /** When the operation's time is up, on the clock of `performance.now()`. Unit: milliseconds. */
  readonly deadline: number;
  readonly observer: CallObserver;
  /** Runs before each call, retries not counted; throws if the call may not be made. */
  readonly spend: () => void;
}

/** Query parameters of a GET, in the order they are written. */
export type Query = Readonly<Record<string, string | number | boolean>>;

/** Turns the JSON of an answer into a domain value, or throws a RestDecodeError. */
export type Read<T> = (json: unknown, call: Call, report: ReportDrift) => T;

/** The calls that one caller can make. */
export interface Send {
  get<T>(path: Path, read: Read<T>, query?: Query): Promise<T>;
  /** Sends a form and reads the answer. `encode` makes the form, and runs only if the call is made. */
  write<T>(
    method: 'POST' | 'PUT',
    path: Path,
    { encode, read }: { encode: () => string; read: Read<T> },
  ): Promise<T>;
  /** Open point: body of a delete. Any 2xx is success, whatever its body holds. */
  delete(path: Path): Promise<void>;
}

/** What all callers share. */
export interface Transport {
  readonly call: Handler;
  readonly inFlight: InFlight;
  readonly onDrift: ReportDrift;
}

/** The calls of one caller, made with its token. */
export function createSend(
  caller: Caller,
  { call: make, inFlight, onDrift }: Transport,
): Send {
  const { token, signal, deadline, observer, spend } = caller;
  const key = token === null ? '' : toCallerKey(token);
  const redact = createRedactor(token);
  const report: ReportDrift = (drift) =>
    onDrift({ ...drift, field: redact(drift.field) });
  const readHeaders = {
    accept: 'application/json',
    authorization: `Bearer ${token}`,
  };
  const writeHeaders = {
    ...readHeaders,
    'content-type': 'application/x-www-form-urlencoded',
  };

  /**
   * Makes a write, which is never shared, and keeps later reads from joining one that began before. An operation may hold
   * hundreds of writes, and a form takes time to encode, so other callers get a turn first; the operation may be over
   * after that.
   */
  async function write(call: Call, path: string, encode: (() => string) | null) {
    if (token === null) throw new MissingTokenError();
    await yieldToEventLoop();
    if (signal.aborted) throw notSent(call, signal);
    const body = encode?.() ?? null;
    spend();
    const progress = notBegun();
    const headers = body === null ? readHeaders : writeHeaders;
    try {
      const answer = make({
        call,
        path,
        headers,
        body,
        signal,
        caller: key,
        deadline,
        observer,
        progress,
      });
      return await reported(
        {
          call,
          path,
          answer: answer.then((whole) => toSuccess(call, whole, redact)),
          progress,
          isShared: false,
        },
        observer,
      );
    } finally {
      inFlight.forget(token);
    }
  }

  return {
    async get({ text, route }, read, query = {}) {
      if (token === null) throw new MissingTokenError();
      const call: Call = { method: 'GET', route };
      const path = text + encodeQuery(query);
      const start = (stop: AbortSignal) => {
        const progress = notBegun();
        const answer = make({
          call,
          path,
          headers: readHeaders,
          body: null,
          signal: stop,
          caller: key,
          deadline,
          observer,
          progress,
        });
        const json = answer.then((whole) =>
          parseJson(call, toSuccess(call, whole, redact)),
        );
        return { progress, answer: json };
      };
      try {
        signal.throwIfAborted();
        spend();
        const begun = inFlight.read({ token, url: path, signal }, start);
        return read(await reported({ call, path, ...begun }, observer), call, report);
      } catch (error) {
        if (error instanceof RestError || !signal.aborted) throw error;
        throw new RestNetworkError(call, {
          kind: 'timeout',
          mayHaveLeft: true,
          cause: error,
        });
      }
    },
    async write(method, { text, route }, { encode, read }) {
      const call: Call = { method, route };
      return read(parseJson(call, await write(call, text, encode)), call, report);
    },
    async delete({ text, route }) {
      await write({ method: 'DELETE', route }, text, null);
    },
  };
}

/** The error of a call that was not made because nobody waits for it any more. */
const notSent = (call: Call, { reason }: AbortSignal) =>
  new RestNetworkError(call, { kind: 'timeout', mayHaveLeft: false, cause: reason });

const notBegun = (): Progress => ({ attempts: 0, status: null, bytes: 0 });

/** `?a=1&b=2`, or nothing. */
export function encodeQuery(query: Query): string {
  const pairs = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
