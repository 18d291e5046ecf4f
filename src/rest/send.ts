import type { Signal } from './abort.ts';
import type { Meter } from './bytes.ts';
import { toCallerKey } from './caller-key.ts';
import type { Handler } from './chain.ts';
import type { ReportDrift } from './drift.ts';
import {
  type Call,
  MissingTokenError,
  RestError,
  RestNetworkError,
  TooManyBytesError,
} from './errors.ts';
import { nextRound } from './event-loop.ts';
import type { FormRoom } from './form.ts';
import type { InFlight } from './in-flight.ts';
import { type BegunCall, type CallObserver, reported } from './observe.ts';
import type { Path } from './path.ts';
import { createRedactor } from './redact.ts';
import type { HttpRequest, HttpResponse } from './request.ts';
import { parseInTurn, toSuccess } from './response.ts';

/** The type of a request body. Source: Endpoints, "Request bodies". */
const FORM = 'application/x-www-form-urlencoded';

/** The caller of one operation, with the limits on its calls. */
export interface Caller {
  /** The bearer token, without "Bearer "; null if the request carried none. */
  readonly token: string | null;
  /** Aborted when the caller leaves or the operation's time is up. */
  readonly signal: Signal;
  /** When the operation's time is up, on the clock of `performance.now()`. Unit: milliseconds. */
  readonly deadline: number;
  readonly observer: CallObserver;
  /** Runs before each call, but not before a retry; throws if the call may not be made. */
  readonly spend: () => void;
  readonly meter: Meter;
}

/** Query parameters of a GET, in the order they are written. */
export type Query = Readonly<Record<string, string | number | boolean>>;

/** Converts the JSON of an answer to a domain value; throws RestDecodeError. */
export type Read<T> = (json: unknown, call: Call, report: ReportDrift) => T;

/** The calls that one caller can make. */
export interface Send {
  get<T>(path: Path, read: Read<T | Promise<T>>, query?: Query): Promise<T>;
  /** Sends a form and reads the answer. `encode` makes the form in the room that is left, and runs only if the call is made. */
  write<T>(
    method: 'POST' | 'PUT',
    path: Path,
    { encode, read }: { encode: (room: FormRoom) => string; read: Read<T> },
  ): Promise<T>;
  /** Open point: body of a delete. It is ignored: any 2xx is success. */
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
  const { token, signal, deadline, observer, spend, meter } = caller;
  let key: string | null = null;
  const redact = createRedactor(token);
  const report: ReportDrift = (drift) =>
    onDrift({ ...drift, field: redact(drift.field) });
  const readHeaders = {
    ...observer.headers,
    accept: 'application/json',
    authorization: `Bearer ${token}`,
  };

  /** Begins a call, even if an equal one is in flight. */
  function begin(
    call: Call,
    message: Pick<HttpRequest, 'path' | 'headers' | 'body' | 'signal'>,
  ): BegunCall<HttpResponse> {
    const { path, headers, body, signal } = message;
    const bearer = token ?? '';
    key ??= toCallerKey(bearer);
    const progress = { attempts: 0, status: null, bytes: 0 };
    const answer = make({
      call,
      path,
      headers,
      body,
      meter,
      signal,
      token: bearer,
      caller: key,
      deadline,
      observer,
      progress,
    });
    return { progress, answer };
  }

  /**
   * Sends a write. Writes are never shared, and later reads do not join a GET that began before the write. An operation
   * may hold hundreds of writes, and encoding a form takes time, so each write first yields to other callers; meanwhile,
   * the operation may be aborted.
   */
  async function write(
    call: Call,
    path: string,
    encode: ((room: FormRoom) => string) | null,
  ) {
    if (token === null) throw new MissingTokenError();
    await nextRound();
    if (signal.aborted) throw notSent(call, signal);
    const body = encode?.(meter.forms) ?? null;
    const formIsSent = meter.sendForm(call, body?.length ?? 0);
    const headers =
      body === null ? readHeaders : { ...readHeaders, 'content-type': FORM };
    try {
      spend();
      const { progress, answer } = begin(call, { path, headers, body, signal });
      const success = answer.then((whole) => toSuccess(call, whole, redact));
      const begun = { progress, answer: success };
      return await reported(begun, { call, path, isShared: false }, observer);
    } finally {
      formIsSent();
      inFlight.forget(token);
    }
  }

  /** Joins an equal read in flight, or begins one. The bytes of a joined read count for this operation too: it holds the answer. */
  function readOnce(token: string, call: Call, path: string): Promise<unknown> {
    const begun = inFlight.read({
      call,
      token,
      url: path,
      signal,
      start: (stop) =>
        begin(call, { path, headers: readHeaders, body: null, signal: stop }),
      parse: (whole) => parseInTurn(call, toSuccess(call, whole, redact)),
    });
    const { isShared, progress } = begun;
    const answer = reported(begun, { call, path, isShared }, observer);
    if (!isShared) return answer;
    const charged = answer.then((json) => {
      meter.join(call, progress.bytes);
      return json;
    });
    return charged.catch((error) => {
      // The operation that began the read had no bytes left. This one reads again, unless it has none left either.
      if (!(error instanceof TooManyBytesError) || meter.isFull) throw error;
      return readOnce(token, call, path);
    });
  }

  return {
    async get({ text, route }, read, query = {}) {
      if (token === null) throw new MissingTokenError();
      const call: Call = { method: 'GET', route };
      try {
        if (signal.aborted) throw signal.reason;
        spend();
        const json = await readOnce(token, call, addQuery(text, query));
        return read(json, call, report);
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
      const answer = await write(call, text, encode);
      return read(await parseInTurn(call, answer), call, report);
    },
    async delete({ text, route }) {
      await write({ method: 'DELETE', route }, text, null);
    },
  };
}

/** The error of a write that was not sent, because its operation was aborted. */
const notSent = (call: Call, { reason }: Signal) =>
  new RestNetworkError(call, { kind: 'timeout', mayHaveLeft: false, cause: reason });

/** `?a=1&b=2`, or nothing. */
export const encodeQuery = (query: Query): string => addQuery('', query);

/** Adds parameters to a path, which may have some already. */
function addQuery(path: string, query: Query): string {
  let text = path;
  let mark = path.includes('?') ? '&' : '?';
  for (const name in query) {
    text += `${mark}${encodeURIComponent(name)}=${encodeURIComponent(query[name] as string)}`;
    mark = '&';
  }
  return text;
}
