import type { Begun } from './observe.ts';

/** A GET on its way, and how many operations wait for it. */
interface Shared extends Begun<unknown> {
  readonly controller: AbortController;
  waiting: number;
}

type Start = (signal: AbortSignal) => Begun<unknown>;

/** Lets equal GETs that are in flight at once be one. The token is part of every key: nobody sees another's answer. */
export interface InFlight {
  /** The answer to `url` as this token sees it; `start` is called only if no such GET is in flight. */
  read(
    asked: { token: string; url: string; signal: AbortSignal },
    start: Start,
  ): Begun<unknown> & { readonly isShared: boolean };
  /** From now on no read of this token joins a GET that began before: call it when a write has ended. */
  forget(token: string): void;
}

export function createInFlight(): InFlight {
  const byToken = new Map<string, Map<string, Shared>>();

  function begin(token: string, url: string, start: Start): Shared {
    const calls = byToken.get(token) ?? new Map<string, Shared>();
    byToken.set(token, calls);
    const controller = new AbortController();
    const leave = () => {
      if (calls.get(url) === shared) calls.delete(url);
      if (calls.size === 0 && byToken.get(token) === calls) byToken.delete(token);
    };
    const { answer, progress } = start(controller.signal);
    const shared: Shared = {
      controller,
      progress,
      waiting: 0,
      answer: answer.finally(leave),
    };
    // An aborted call has nothing to share, though its answer is still to settle.
    controller.signal.addEventListener('abort', leave);
    calls.set(url, shared);
    return shared;
  }

  return {
    read({ token, url, signal }, start) {
      const known = byToken.get(token)?.get(url);
      const shared = known ?? begin(token, url, start);
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

/** Waits along; one who leaves early takes the call down only if nobody else waits for it. */
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
