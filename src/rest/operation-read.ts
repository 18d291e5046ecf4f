import { AsyncLocalStorage } from 'node:async_hooks';
import type { Signal } from './abort.ts';
import type { Meter } from './bytes.ts';
import type { CallerId } from './caller-id.ts';
import type { ReportDrift } from './drift.ts';
import { type Call, RestError, RestNetworkError, TooManyBytesError } from './errors.ts';
import type { Get, InFlight, SharedRead, Waiting } from './in-flight.ts';
import { type CallObserver, observeCall, type Progress } from './observe.ts';
import type { Redact } from './redact.ts';
import type { HttpResponse, Outcome } from './request.ts';
import { parseInTurn, toSuccess } from './response.ts';

/** What the reads of one operation share. */
export interface Reader {
  readonly caller: CallerId;
  /** Aborted when the caller leaves or the operation's time is up. */
  readonly signal: Signal;
  readonly meter: Pick<Meter, 'join' | 'isFull'>;
  readonly observer: CallObserver;
  readonly inFlight: InFlight;
  readonly redact: Redact;
  readonly report: ReportDrift;
  /** Begins a GET; the signal aborts it. */
  start(
    read: Pick<SharedRead, 'call' | 'url'>,
    signal: Signal,
    outcome: Outcome,
  ): Progress;
}

/** Converts the JSON of an answer to a domain value; throws RestDecodeError. */
export type Read<T> = (json: unknown, call: Call, report: ReportDrift) => T;

/** What is read, and where the value goes. */
export interface Wanted<T> {
  readonly call: Call;
  /** Begins with `/v1`; includes the query. */
  readonly url: string;
  readonly decode: Read<T | Promise<T>>;
  readonly resolve: (value: T | Promise<T>) => void;
  readonly reject: (error: unknown) => void;
}

/** One read of one operation: it joins an equal one in flight, or begins one. */
export class OperationRead<T> implements SharedRead, Waiting {
  readonly #reader: Reader;
  readonly #wanted: Wanted<T>;
  /** Null until it has begun. */
  #get: Get | null = null;
  #noteEnd: ReturnType<typeof observeCall> = null;
  /** Runs something in the asynchronous context of this operation, because another one ends the GET; null if it is its own. */
  #inContext: ReturnType<typeof AsyncLocalStorage.snapshot> | null = null;

  constructor(reader: Reader, wanted: Wanted<T>) {
    this.#reader = reader;
    this.#wanted = wanted;
  }

  get call(): Call {
    return this.#wanted.call;
  }

  get url(): string {
    return this.#wanted.url;
  }

  get caller(): CallerId {
    return this.#reader.caller;
  }

  get signal(): Signal {
    return this.#reader.signal;
  }

  begin(): void {
    const { call, url } = this.#wanted;
    const { inFlight, observer } = this.#reader;
    const get = inFlight.read(this, this);
    const isShared = get.read !== this;
    this.#get = get;
    if (isShared) this.#inContext ??= AsyncLocalStorage.snapshot();
    this.#noteEnd = observeCall({ call, path: url, isShared }, get.progress, observer);
  }

  start(signal: Signal, outcome: Outcome): Progress {
    return this.#reader.start(this.#wanted, signal, outcome);
  }

  parse(answer: HttpResponse): unknown {
    return parseInTurn(this.call, toSuccess(this.call, answer, this.#reader.redact));
  }

  /** The operation was aborted. */
  handleEvent(): void {
    this.#get?.leave(this);
  }

  resolve(json: unknown): void {
    this.#noteEnd?.(null);
    const { call, decode, resolve } = this.#wanted;
    const { meter, report } = this.#reader;
    try {
      // The bytes of a joined read count for this operation too: it holds the answer.
      if (this.#isShared) meter.join(call, this.#get?.progress.bytes ?? 0);
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
    return this.#get !== null && this.#get.read !== this;
  }

  #fail(error: unknown): void {
    if (this.#isOfAnother(error)) this.#inContext?.(() => this.begin());
    else this.#wanted.reject(toReadError(this.call, error, this.signal));
  }

  /** The operation that began the read had no bytes left. This one reads again, unless it has none left either. */
  #isOfAnother(error: unknown): boolean {
    const isTooLong = error instanceof TooManyBytesError;
    return isTooLong && this.#isShared && !this.#reader.meter.isFull;
  }
}

/** The error of a read: a timeout, if its operation was aborted meanwhile. */
export const toReadError = (call: Call, error: unknown, signal: Signal): unknown =>
  error instanceof RestError || !signal.aborted
    ? error
    : new RestNetworkError(call, { kind: 'timeout', mayHaveLeft: true, cause: error });
