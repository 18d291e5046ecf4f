import { AsyncLocalStorage } from 'node:async_hooks';
import type { Signal } from './abort.ts';
import type { Meter } from './bytes.ts';
import { type Call, RestError, RestNetworkError, TooManyBytesError } from './errors.ts';
import type { InFlight, JoinedCall, SharedRead, Waiting } from './in-flight.ts';
import { type CallObserver, observeCall, type Progress } from './observe.ts';
import type { Redact } from './redact.ts';
import type { HttpResponse, Outcome } from './request.ts';
import { parseInTurn, toSuccess } from './response.ts';

/** What the reads of one operation share. */
export interface Reader {
  readonly token: string;
  /** Aborted when the caller leaves or the operation's time is up. */
  readonly signal: Signal;
  readonly meter: Pick<Meter, 'join' | 'isFull'>;
  readonly observer: CallObserver;
  readonly inFlight: InFlight;
  readonly redact: Redact;
  /** Begins a GET; the signal aborts it. */
  start(
    read: Pick<SharedRead, 'call' | 'url'>,
    signal: Signal,
    outcome: Outcome,
  ): Progress;
}

/** What is read, and where the value goes. */
export interface Wanted<T> {
  readonly call: Call;
  /** Begins with `/v1`; includes the query. */
  readonly url: string;
  /** Makes the value of the JSON of the answer. */
  readonly decode: (json: unknown) => T | Promise<T>;
  readonly resolve: (value: T | Promise<T>) => void;
  readonly reject: (error: unknown) => void;
}

/** One read of one operation: it joins an equal one in flight, or begins one. */
export class OperationRead<T> implements SharedRead, Waiting {
  readonly call: Call;
  readonly url: string;
  readonly token: string;
  readonly signal: Signal;
  readonly #reader: Reader;
  readonly #wanted: Wanted<T>;
  /** Null until it has begun. */
  #get: JoinedCall | null = null;
  #noteEnd: ReturnType<typeof observeCall> = null;
  /** Runs something in the asynchronous context of this operation, because another one ends the GET; null if it is its own. */
  #inContext: ReturnType<typeof AsyncLocalStorage.snapshot> | null = null;

  constructor(reader: Reader, wanted: Wanted<T>) {
    this.call = wanted.call;
    this.url = wanted.url;
    this.token = reader.token;
    this.signal = reader.signal;
    this.#reader = reader;
    this.#wanted = wanted;
  }

  begin(): void {
    const { call, url } = this;
    const { inFlight, observer } = this.#reader;
    this.#get = inFlight.read(this, this);
    const { progress, isShared } = this.#get;
    this.#inContext ??= isShared ? AsyncLocalStorage.snapshot() : null;
    this.#noteEnd = observeCall({ call, path: url, isShared }, progress, observer);
  }

  start(signal: Signal, outcome: Outcome): Progress {
    return this.#reader.start(this, signal, outcome);
  }

  parse(answer: HttpResponse): unknown {
    return parseInTurn(this.call, toSuccess(this.call, answer, this.#reader.redact));
  }

  resolve(json: unknown): void {
    this.#noteEnd?.(null);
    const { decode, resolve } = this.#wanted;
    try {
      // The bytes of a joined read count for this operation too: it holds the answer.
      if (this.#get?.isShared)
        this.#reader.meter.join(this.call, this.#get.progress.bytes);
      resolve(decode(json));
    } catch (error) {
      this.#fail(error);
    }
  }

  reject(error: unknown): void {
    this.#noteEnd?.(error);
    this.#fail(error);
  }

  #fail(error: unknown): void {
    if (this.#isOfAnother(error)) this.#inContext?.(() => this.begin());
    else this.#wanted.reject(toReadError(this.call, error, this.signal));
  }

  /** The operation that began the read had no bytes left. This one reads again, unless it has none left either. */
  #isOfAnother(error: unknown): boolean {
    const isTooLong = error instanceof TooManyBytesError;
    return isTooLong && this.#get?.isShared === true && !this.#reader.meter.isFull;
  }
}

/** The error of a read: a timeout, if its operation was aborted meanwhile. */
export const toReadError = (call: Call, error: unknown, signal: Signal): unknown =>
  error instanceof RestError || !signal.aborted
    ? error
    : new RestNetworkError(call, { kind: 'timeout', mayHaveLeft: true, cause: error });
