import { AsyncLocalStorage } from 'node:async_hooks';
import type { Signal } from './abort.ts';
import type { Meter } from './bytes.ts';
import type { ReportDrift } from './drift.ts';
import { type Call, RestError, RestNetworkError, TooManyBytesError } from './errors.ts';
import type { Get, GetSender, InFlight, ReadWaiter, Target } from './in-flight.ts';
import { type CallObserver, observeCall } from './observe.ts';

/** What the reads of one operation share. */
export interface Reader extends GetSender {
  /** Aborted when the caller leaves or the operation's time is up. */
  readonly signal: Signal;
  readonly meter: Pick<Meter, 'join' | 'isFull'>;
  readonly observer: CallObserver;
  readonly inFlight: InFlight;
  readonly report: ReportDrift;
}

/** Converts the JSON of an answer to a domain value; throws RestDecodeError. */
export type Read<T> = (json: unknown, call: Call, report: ReportDrift) => T;

/** What is read, and where the value goes. */
export interface Wanted<T> extends Target {
  readonly decode: Read<T | Promise<T>>;
  readonly resolve: (value: T | Promise<T>) => void;
  readonly reject: (error: unknown) => void;
}

/** One read of one operation: it waits for an equal GET in flight, or for one that it begins. */
export class OperationRead<T> implements ReadWaiter {
  readonly signal: Signal;
  readonly #reader: Reader;
  readonly #wanted: Wanted<T>;
  /** Null until it has begun. */
  #get: Get | null = null;
  #noteEnd: ReturnType<typeof observeCall> = null;
  /** Runs something in the asynchronous context of this operation, because another one ends the GET; null if it is its own. */
  #inContext: ReturnType<typeof AsyncLocalStorage.snapshot> | null = null;

  constructor(reader: Reader, wanted: Wanted<T>) {
    this.signal = reader.signal;
    this.#reader = reader;
    this.#wanted = wanted;
  }

  begin(): void {
    const { call, url } = this.#wanted;
    const { inFlight, observer } = this.#reader;
    const get = inFlight.read(this.#reader, this.#wanted, this);
    this.#get = get;
    const isShared = this.#isShared;
    if (isShared) this.#inContext ??= AsyncLocalStorage.snapshot();
    this.#noteEnd = observeCall({ call, path: url, isShared }, get.progress, observer);
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
    return this.#get !== null && this.#get.beganBy !== this;
  }

  #fail(error: unknown): void {
    const { call, reject } = this.#wanted;
    if (this.#isOfAnother(error)) this.#inContext?.(() => this.begin());
    else reject(toReadError(call, error, this.signal));
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
