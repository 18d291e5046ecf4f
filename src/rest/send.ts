import type { Signal } from './abort.ts';
import type { Meter } from './bytes.ts';
import { toCallerKey } from './caller-key.ts';
import type { Handler } from './chain.ts';
import type { ReportDrift } from './drift.ts';
import { type Call, MissingTokenError, RestNetworkError } from './errors.ts';
import { nextRound } from './event-loop.ts';
import type { FormRoom } from './form.ts';
import type { InFlight } from './in-flight.ts';
import { type CallObserver, observeCall, type Progress } from './observe.ts';
import { OperationRead, type Reader, toReadError } from './operation-read.ts';
import type { Path } from './path.ts';
import { createRedactor } from './redact.ts';
import type { HttpRequest, HttpResponse, Outcome } from './request.ts';
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

type Message = Pick<HttpRequest, 'call' | 'path' | 'headers' | 'body' | 'signal'>;

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
    { call, path, headers, body, signal }: Message,
    outcome: Outcome,
  ): Progress {
    const bearer = token ?? '';
    key ??= toCallerKey(bearer);
    const progress = { attempts: 0, status: null, bytes: 0 };
    const request = {
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
    };
    make(request, outcome);
    return progress;
  }

  /** Makes a call that is not shared; rejects if its status is no success. */
  async function send(message: Message): Promise<HttpResponse> {
    const { call, path } = message;
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
    const progress = begin(message, { resolve, reject });
    const ended = observeCall({ call, path, isShared: false }, progress, observer);
    try {
      const answer = toSuccess(call, await promise, redact);
      ended?.(null);
      return answer;
    } catch (error) {
      ended?.(error);
      throw error;
    }
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
  ): Promise<HttpResponse> {
    if (token === null) throw new MissingTokenError();
    await nextRound();
    if (signal.aborted) throw notSent(call, signal);
    const body = encode?.(meter.forms) ?? null;
    const formIsSent = meter.sendForm(call, body?.length ?? 0);
    const headers =
      body === null ? readHeaders : { ...readHeaders, 'content-type': FORM };
    try {
      spend();
      return await send({ call, path, headers, body, signal });
    } finally {
      formIsSent();
      inFlight.forget(token);
    }
  }

  const reader: Reader = {
    token: token ?? '',
    signal,
    meter,
    observer,
    inFlight,
    redact,
    start: ({ call, url: path }, signal, outcome) =>
      begin({ call, path, headers: readHeaders, body: null, signal }, outcome),
  };

  return {
    get: <T>(
      { text, route }: Path,
      read: Read<T | Promise<T>>,
      query: Query = NO_QUERY,
    ) =>
      new Promise<T>((resolve, reject) => {
        const call: Call = { method: 'GET', route };
        if (token === null) throw new MissingTokenError();
        if (signal.aborted) throw toReadError(call, signal.reason, signal);
        spend();
        const url = addQuery(text, query);
        const decode = (json: unknown) => read(json, call, report);
        new OperationRead(reader, { call, url, decode, resolve, reject }).begin();
      }),
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

const NO_QUERY: Query = {};

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
