/** The reason of an abort when the answer is sent, or the client has left. Created once, because an error has a stack. */
export const IS_OVER = new DOMException('The operation is over.', 'AbortError');

/** The reason of an abort because a time is up. `words`: which one, and its setting. */
export const timeIsUp = (words: string) => new DOMException(words, 'TimeoutError');

/** What calls need of an AbortSignal. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: AbortListener): void;
  removeEventListener(type: 'abort', listener: AbortListener): void;
}

/**
 * What is to end early: it is aborted, or its time is up. An object and not a function, because what ends is an object
 * already, and AbortSignal takes both.
 */
export interface AbortListener {
  handleEvent(): void;
}

/** A signal and its controller in one. Node's own take a microsecond and several objects for each listener. */
export class Cancellation implements Signal {
  aborted = false;
  reason: unknown = undefined;
  /** The only listener that most signals have. With a second one, a set is made, which takes all later ones. */
  #first: AbortListener | null = null;
  #others: Set<AbortListener> | null = null;

  addEventListener(_type: 'abort', listener: AbortListener): void {
    if (this.#first === listener) return;
    if (this.#first === null && this.#others === null && !this.aborted) {
      this.#first = listener;
      return;
    }
    this.#others ??= new Set();
    this.#others.add(listener);
  }

  removeEventListener(_type: 'abort', listener: AbortListener): void {
    if (this.#first === listener) this.#first = null;
    else this.#others?.delete(listener);
  }

  /** Only the first reason counts. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#first?.handleEvent();
    for (const listener of this.#others ?? []) listener.handleEvent();
    this.#first = null;
    this.#others = null;
  }
}

/** It is never aborted. */
export const NEVER: Signal = new Cancellation();

/**
 * Resolves with true when `begin` runs, or with false as soon as the signal is aborted. `enter` starts the wait for `begin`, and
 * returns what gives it up.
 */
export function waitUnlessAborted(
  signal: Signal,
  enter: (begin: () => void) => () => void,
): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const leaving: AbortListener = {
      handleEvent() {
        giveUp();
        resolve(false);
      },
    };
    const giveUp = enter(() => {
      signal.removeEventListener('abort', leaving);
      resolve(true);
    });
    signal.addEventListener('abort', leaving);
  });
}

/** Waits for what `start` returns; throws `toError(reason)` as soon as the signal is aborted, and does not start if it is already. */
export async function unlessAborted<T>(
  start: () => Promise<T>,
  signal: Signal,
  toError: (reason: unknown) => Error,
): Promise<T> {
  let started: Promise<T> | undefined;
  const isSettled = await waitUnlessAborted(signal, (begin) => {
    started = start();
    started.then(begin, begin);
    return () => {};
  });
  if (!isSettled || started === undefined) throw toError(signal.reason);
  return started;
}

/** Whether an operation was aborted because its client has left. */
export const hasLeft = (signal: Signal): boolean => signal.aborted && !isTimeUp(signal);

/** Whether an operation was aborted because its time is up. */
export const isTimeUp = ({ reason }: Signal): boolean =>
  reason instanceof Error && reason.name === 'TimeoutError';
