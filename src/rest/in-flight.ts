import type { BegunCall } from './observe.ts';

/** A GET in flight, and how many operations wait for it. */
interface Shared extends BegunCall<unknown> {
  readonly controller: AbortController;
  waiting: number;
}

/** One caller's read; `signal` is aborted when the caller stops waiting. */
interface SharedRead {
  readonly token: string;
  readonly url: string;
  readonly signal: AbortSignal;
}

/**
 * Coalesces equal GETs that are in flight at the same time. The token is part of every key, so no caller gets an answer
 * for another token.
 */
export interface InFlight {
  /** Reads `url` with this token. Calls `start` only if no such GET is in flight; the signal it passes aborts that GET. */
  read(
    read: SharedRead,
    start: (signal: AbortSignal) => BegunCall<unknown>,
  ): BegunCall<unknown> & { readonly isShared: boolean };
  /** To be called when a write has ended: later reads of this token do not join a GET that began before. */
  forget(token: string): void;
}

export function createInFlight(): InFlight {
  const byToken = new Map<string, Map<string, Shared>>();

  /** Keeps a GET until it ends or is aborted. */
  function keep(
    token: string,
    url: string,
    begun: BegunCall<unknown>,
    controller: AbortController,
  ): Shared {
    const calls = byToken.get(token) ?? new Map<string, Shared>();
    byToken.set(token, calls);
    const remove = () => {
      if (calls.get(url) === shared) calls.delete(url);
      if (calls.size === 0 && byToken.get(token) === calls) byToken.delete(token);
    };
    const shared: Shared = {
      controller,
      progress: begun.progress,
      waiting: 0,
      answer: begun.answer.finally(remove),
    };
    // No caller may join an aborted call, even before its answer has settled.
    controller.signal.addEventListener('abort', remove);
    calls.set(url, shared);
    return shared;
  }

  return {
    read({ token, url, signal }, start) {
      const known = byToken.get(token)?.get(url);
      const controller = known?.controller ?? new AbortController();
      const shared = known ?? keep(token, url, start(controller.signal), controller);
      return {
        answer: wait(shared, signal),
        progress: shared.progress,
        isShared: known !== undefined,
      };
    },
    forget(token) {
      byToken.delete(token);
    },
  };
}

/** Waits for a shared call. A caller that leaves early aborts it only if no other caller waits. */
async function wait(shared: Shared, signal: AbortSignal): Promise<unknown> {
  const left = Promise.withResolvers<never>();
  const leave = () => {
    shared.waiting -= 1;
    if (shared.waiting === 0) shared.controller.abort(signal.reason);
    left.reject(signal.reason);
  };
  shared.waiting += 1;
  signal.addEventListener('abort', leave);
  try {
    return await Promise.race([shared.answer, left.promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
