import type { Signal } from './abort.ts';
import type { Meter } from './bytes.ts';
import type { CallerId } from './caller-id.ts';
import type { Handler } from './chain.ts';
import type { ReportDrift } from './drift.ts';
import { type Call, MissingTokenError, RestNetworkError } from './errors.ts';
import { nextRound } from './event-loop.ts';
import type { FormRoom } from './form.ts';
import type { InFlight, Target } from './in-flight.ts';
import { type CallObserver, observeCall, type Progress } from './observe.ts';
import { OperationRead, type Read, type Reader, toReadError } from './operation-read.ts';
import type { Path } from './path.ts';
import { createRedactor, type Redact } from './redact.ts';
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
  /** Each call is spent, but not its retries. Throws if the call may not be made. */
  readonly budget: { spend(): void };
  readonly meter: Meter;
}

/** Query parameters of a GET, in the order they are written. */
export type Query = Readonly<Record<string, string | number | boolean>>;

/** The calls that one caller can make. */
export interface Send {
  readonly caller: CallerId;
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
export class CallerSend implements Send, Reader {
  readonly caller: CallerId;
  readonly signal: Signal;
  readonly meter: Meter;
  readonly observer: CallObserver;
  readonly inFlight: InFlight;
  readonly redact: Redact;
  readonly report: ReportDrift;
  readonly #options: Caller;
  readonly #transport: Transport;
  readonly #readHeaders: HttpRequest['headers'];

  constructor(options: Caller, transport: Transport) {
    const { token, signal, observer, meter } = options;
    this.caller = meter.caller;
    this.signal = signal;
    this.meter = meter;
    this.observer = observer;
    this.inFlight = transport.inFlight;
    this.redact = createRedactor(token);
    this.#options = options;
    this.#transport = transport;
    this.#readHeaders = {
      ...observer.headers,
      accept: 'application/json',
      authorization: `Bearer ${token}`,
    };
    this.report = (drift) =>
      transport.onDrift({ ...drift, field: this.redact(drift.field) });
  }

  get<T>(
    { text, route }: Path,
    read: Read<T | Promise<T>>,
    query: Query = NO_QUERY,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const call: Call = { method: 'GET', route };
      const { signal } = this;
      if (this.#options.token === null) throw new MissingTokenError();
      if (signal.aborted) throw toReadError(call, signal.reason, signal);
      this.#options.budget.spend();
      const url = addQuery(text, query);
      new OperationRead(this, { call, url, decode: read, resolve, reject }).begin();
    });
  }

  async write<T>(
    method: 'POST' | 'PUT',
    { text, route }: Path,
    { encode, read }: { encode: (room: FormRoom) => string; read: Read<T> },
  ): Promise<T> {
    const call: Call = { method, route };
    const answer = await this.#write(call, text, encode);
    return read(await parseInTurn(call, answer), call, this.report);
  }

  async delete({ text, route }: Path): Promise<void> {
    await this.#write({ method: 'DELETE', route }, text, null);
  }

  /** Begins a GET, even if an equal one is in flight. */
  start({ call, url: path }: Target, signal: Signal, outcome: Outcome): Progress {
    const headers = this.#readHeaders;
    return this.#begin({ call, path, headers, body: null, signal }, outcome);
  }

  #begin({ call, path, headers, body, signal }: Message, outcome: Outcome): Progress {
    const progress = { attempts: 0, status: null, bytes: 0 };
    const request = {
      call,
      path,
      headers,
      body,
      meter: this.meter,
      signal,
      caller: this.caller,
      deadline: this.#options.deadline,
      observer: this.observer,
      progress,
    };
    this.#transport.call(request, outcome);
    return progress;
  }

  /**
   * Sends a write. Writes are never shared, and later reads do not join a GET that began before the write. An operation
   * may hold hundreds of writes, and encoding a form takes time, so each write first yields to other callers; meanwhile,
   * the operation may be aborted.
   */
  async #write(
    call: Call,
    path: string,
    encode: ((room: FormRoom) => string) | null,
  ): Promise<HttpResponse> {
    const { meter, signal } = this;
    if (this.#options.token === null) throw new MissingTokenError();
    await nextRound();
    if (signal.aborted) throw notSent(call, signal);
    const body = encode?.(meter.forms) ?? null;
    const formIsSent = meter.sendForm(call, body?.length ?? 0);
    const headers =
      body === null ? this.#readHeaders : { ...this.#readHeaders, 'content-type': FORM };
    try {
      this.#options.budget.spend();
      return await this.#exchange({ call, path, headers, body, signal });
    } finally {
      formIsSent();
      this.inFlight.forget(this.caller.token);
    }
  }

  /** Makes a call that is not shared; rejects if its status is no success. */
  async #exchange(message: Message): Promise<HttpResponse> {
    const { call, path } = message;
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
    const progress = this.#begin(message, { resolve, reject });
    const ended = observeCall({ call, path, isShared: false }, progress, this.observer);
    try {
      const answer = toSuccess(call, await promise, this.redact);
      ended?.(null);
      return answer;
    } catch (error) {
      ended?.(error);
      throw error;
    }
  }
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
    const value = query[name] as Query[string];
    const encoded = typeof value === 'string' ? encodeURIComponent(value) : value;
    text += `${mark}${encodeURIComponent(name)}=${encoded}`;
    mark = '&';
  }
  return text;
}
