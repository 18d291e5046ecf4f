import { AsyncLocalStorage } from 'node:async_hooks';
import { NEVER, type Signal } from '../callers/abort.ts';
import type { CallerId } from '../callers/caller-id.ts';
import { nextRound } from '../callers/event-loop.ts';
import { turnOf } from '../callers/thread.ts';
import type { Meter } from './bytes.ts';
import type { CallHandler, OutgoingRequest } from './chain.ts';
import type { ReportDrift } from './drift.ts';
import {
  type Call,
  MissingTokenError,
  notSentInTime,
  RestError,
  RestNetworkError,
  TooManyBytesError,
} from './errors.ts';
import type { FormRoom } from './form.ts';
import type { Get, GetSender, InFlight, ReadWaiter, Target } from './in-flight.ts';
import { type CallObserver, observeCall, type Progress } from './observe.ts';
import { addQuery, type Path, type Query } from './path.ts';
import type { Redact } from './redact.ts';
import type { HttpRequest, HttpResponse, Outcome } from './request.ts';
import { type Parse, type ParseOptions, toSuccess } from './response.ts';
import { USER_AGENT } from './user-agent.ts';

/** The type of a request body. Source: Endpoints, "Request bodies". */
const FORM = 'application/x-www-form-urlencoded';

/** The caller of one operation, with the limits on its calls. */
export interface CallerOptions {
  /** Aborted when the caller leaves or the operation's time is up. */
  readonly signal: Signal;
  /** When the operation's time is up, on the clock of `performance.now()`. Unit: milliseconds. */
  readonly deadline: number;
  readonly observer: CallObserver;
  /** Each call is spent, but not its retries. Throws if the call may not be made. */
  readonly budget: { spend(): void };
  /** It knows the caller. */
  readonly meter: Meter;
  /** Removes the token from a text. */
  readonly redact: Redact;
}

/** Converts the JSON of an answer to a domain value; throws RestDecodeError. */
export type ReadAnswer<T> = (json: unknown, call: Call, report: ReportDrift) => T;

/** What all callers share. */
export interface SharedTransport {
  readonly call: CallHandler;
  /** What each call carries besides what is written here; null: nothing. */
  readonly headers: Readonly<Record<string, string>> | null;
  readonly inFlight: InFlight;
  readonly onDrift: ReportDrift;
  readonly parse: Parse;
}

/** The calls of one caller, made with its token. */
export class Send implements GetSender {
  readonly caller: CallerId;
  readonly report: ReportDrift;
  readonly options: CallerOptions;
  readonly transport: SharedTransport;
  /** The service's clock, as the last read showed it: the header `Date` of its answer. */
  servedAt: string | undefined;
  /** Whether numbers inside the field that ClientOptions names keep their text. An operation that does not name it need not. */
  readsExactly = true;
  readonly #readHeaders: HttpRequest['headers'];

  constructor(options: CallerOptions, transport: SharedTransport) {
    const { observer, meter, redact } = options;
    this.caller = meter.caller;
    this.options = options;
    this.transport = transport;
    this.#readHeaders = {
      ...transport.headers,
      ...this.caller.forwarded,
      'x-request-id': observer.requestId,
      accept: 'application/json',
      'user-agent': USER_AGENT,
      authorization: `Bearer ${this.caller.token}`,
    };
    this.report = (drift) => transport.onDrift({ ...drift, field: redact(drift.field) });
  }

  /** The same, but its calls go on when the client has left or the operation's time is up, to the end of their own time. */
  lasting(): Send {
    return new Send({ ...this.options, signal: NEVER }, this.transport);
  }

  get<T>(
    { text, route }: Path,
    read: ReadAnswer<T | Promise<T>>,
    query: Query = NO_QUERY,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const call: Call = { method: 'GET', route };
      const { signal, budget } = this.options;
      if (this.caller.name === '') throw new MissingTokenError();
      if (signal.aborted) throw toReadError(call, signal.reason, signal);
      budget.spend();
      const url = addQuery(text, query);
      new OperationRead(this, { call, url, decode: read, resolve, reject }).begin();
    });
  }

  /**
   * Sends a form and reads the answer. `encode` makes the form in the room that is left, and runs only if the call is made. `mayBegin`:
   * see OutgoingRequest. `decide` gets the form, and what sends it: it may do so later, or not at all.
   */
  async write<T>(
    method: 'POST' | 'PUT',
    { text, route }: Path,
    {
      encode,
      read,
      mayBegin,
      decide = sendAtOnce,
    }: {
      encode: (room: FormRoom) => string;
      read: ReadAnswer<T>;
      mayBegin?: (() => boolean) | undefined;
      decide?: Decide<T> | undefined;
    },
  ): Promise<T> {
    const call: Call = { method, route };
    const { meter } = this.options;
    const isExact = this.readsExactly;
    await this.#beforeWrite(call);
    const form = encode(meter.forms);
    const formIsSent = meter.sendForm(call, form.length);
    const send = async () => {
      const answer = await this.#write(call, text, form, mayBegin);
      // NEVER aborted: the write was made.
      const json = await this.transport.parse(call, answer, { signal: NEVER, isExact });
      return read(json, call, this.report);
    };
    try {
      return await decide(send, form);
    } finally {
      formIsSent();
    }
  }

  /** Open point: body of a delete. It is ignored: any 2xx is success. */
  async delete({ text, route }: Path): Promise<void> {
    const call: Call = { method: 'DELETE', route };
    await this.#beforeWrite(call);
    await this.#write(call, text, null);
  }

  /** Later reads do not join a GET that is in flight: it may have been answered before what the caller knows now. */
  forgetReads(): void {
    this.transport.inFlight.forget(this.caller.name);
  }

  /** Reads the JSON of an answer; throws RestStatusError if its status is no success. A promise only for a long answer. */
  parse(call: Call, answer: HttpResponse, how: ParseOptions): unknown {
    return this.transport.parse(call, this.#toSuccess(call, answer), how);
  }

  #toSuccess(call: Call, answer: HttpResponse): HttpResponse {
    for (const kind of ['deprecation', 'sunset'] as const) {
      const field = answer.headers[kind]?.toString();
      if (field !== undefined)
        this.report({ object: `${call.method} ${call.route}`, field, kind });
    }
    return toSuccess(call, answer, this.options.redact);
  }

  /** Begins a GET, even if an equal one is in flight. */
  start({ call, url: path }: Target, signal: Signal, outcome: Outcome): Progress {
    const headers = this.#readHeaders;
    return this.#begin({ call, path, headers, body: null, signal }, outcome);
  }

  #begin(
    parts: Omit<HttpRequest, 'meter'> & Pick<OutgoingRequest, 'mayBegin'>,
    outcome: Outcome,
  ): Progress {
    const { caller } = this;
    const { meter, deadline, observer } = this.options;
    const progress = { attempts: 0, status: null, bytes: 0 };
    const request = { ...parts, meter, caller, deadline, observer, progress };
    this.transport.call(request, outcome);
    return progress;
  }

  /**
   * An operation may hold hundreds of writes, and a long form takes time to encode. So a write begins at once only while this phase of
   * the event loop has time left. Otherwise it waits for its caller's turn, and for one more round, in which requests that have just
   * come are read. Meanwhile, the operation may be aborted.
   */
  async #beforeWrite(call: Call): Promise<void> {
    const { signal } = this.options;
    if (this.caller.name === '') throw new MissingTokenError();
    await turnOf(this.caller)?.then(nextRound);
    if (signal.aborted) throw notSentInTime(call, signal.reason);
  }

  /**
   * Sends a write; rejects if its status is no success. Writes are never shared, and later reads do not join a GET that began
   * before the write.
   */
  async #write(
    call: Call,
    path: string,
    body: string | null,
    mayBegin?: () => boolean,
  ): Promise<HttpResponse> {
    const { signal, budget, observer } = this.options;
    const headers =
      body === null ? this.#readHeaders : { ...this.#readHeaders, 'content-type': FORM };
    let ended: ReturnType<typeof observeCall> = null;
    try {
      budget.spend();
      const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
      const exchange = {
        call,
        path,
        headers,
        body,
        signal,
        ...(mayBegin && { mayBegin }),
      };
      const progress = this.#begin(exchange, { resolve, reject });
      ended = observeCall({ call, path, isShared: false }, progress, observer);
      const answer = this.#toSuccess(call, await promise);
      ended?.(null);
      return answer;
    } catch (error) {
      ended?.(error);
      throw error;
    } finally {
      this.forgetReads();
    }
  }
}

/** Decides whether and when a write is sent. */
export type Decide<T> = (send: () => Promise<T>, form: string) => Promise<T>;

const sendAtOnce = <T>(send: () => Promise<T>): Promise<T> => send();

const NO_QUERY: Query = {};

/** What is read, and where the value goes. */
interface Wanted<T> extends Target {
  readonly decode: ReadAnswer<T | Promise<T>>;
  readonly resolve: (value: T | Promise<T>) => void;
  readonly reject: (error: unknown) => void;
}

/** One read of one operation: it waits for an equal GET in flight, or for one that it begins. */
class OperationRead<T> implements ReadWaiter {
  readonly caller: CallerId;
  readonly signal: Signal;
  readonly #send: Send;
  readonly #wanted: Wanted<T>;
  /** Null until it has begun. */
  #get: Get | null = null;
  #noteEnd: ReturnType<typeof observeCall> = null;
  /** Restores this operation's async context if another operation ends the GET; null if this one began it. */
  #inContext: ReturnType<typeof AsyncLocalStorage.snapshot> | null = null;

  constructor(send: Send, wanted: Wanted<T>) {
    this.caller = send.caller;
    this.signal = send.options.signal;
    this.#send = send;
    this.#wanted = wanted;
  }

  begin(): void {
    const { call, url } = this.#wanted;
    const { transport, options } = this.#send;
    const get = transport.inFlight.read(this.#send, this.#wanted, this);
    this.#get = get;
    const isShared = this.#isShared;
    if (isShared) this.#inContext ??= AsyncLocalStorage.snapshot();
    this.#noteEnd = observeCall(
      { call, path: url, isShared },
      get.progress,
      options.observer,
    );
  }

  /** The operation was aborted. */
  handleEvent(): void {
    this.#get?.leave(this);
  }

  resolve(json: unknown): void {
    this.#noteEnd?.(null);
    const { call, decode, resolve } = this.#wanted;
    const { options, report } = this.#send;
    try {
      // The bytes of a joined read count for this operation too: it holds the answer.
      if (this.#isShared) options.meter.join(call, this.#get?.progress.bytes ?? 0);
      this.#send.servedAt = this.#get?.progress.date;
      resolve(decode(json, call, report));
    } catch (error) {
      this.#fail(error);
    }
  }

  reject(error: unknown): void {
    this.#noteEnd?.(error);
    this.#fail(error);
  }

  /** Whether another operation of the same token had the GET in flight. */
  get #isShared(): boolean {
    return this.#get !== null && this.#get.beganBy !== this;
  }

  #fail(error: unknown): void {
    const { call, reject } = this.#wanted;
    const { signal } = this;
    if (!this.#isOfAnother(error)) reject(toReadError(call, error, signal));
    // It may have been aborted while it waited for its turn, without a listener.
    else if (signal.aborted) reject(toReadError(call, signal.reason, signal));
    else this.#inContext?.(() => this.begin());
  }

  /** Whether the operation that began the GET hit its limit of bytes, and this one has not: it reads again. */
  #isOfAnother(error: unknown): boolean {
    const isTooLong = error instanceof TooManyBytesError;
    return isTooLong && this.#isShared && !this.#send.options.meter.isFull;
  }
}

/** The error of a read: a timeout, if its operation was aborted meanwhile. */
const toReadError = (call: Call, error: unknown, signal: Signal): unknown =>
  error instanceof RestError || !signal.aborted
    ? error
    : new RestNetworkError(call, { kind: 'timeout', mayHaveLeft: true, cause: error });
