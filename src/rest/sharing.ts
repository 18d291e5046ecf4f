/** A GET on its way, and how many operations wait for it. */
interface Shared {
  readonly answer: Promise<unknown>;
  readonly controller: AbortController;
  waiting: number;
}

type Start = (signal: AbortSignal) => Promise<unknown>;

/** Lets equal GETs that are in flight at once be one. The token is part of every key: nobody sees another's answer. */
export interface Sharing {
  /** The answer to `url` as this token sees it; `start` is called only if no such GET is in flight. */
  read(
    asked: { token: string; url: string; signal: AbortSignal },
    start: Start,
  ): Promise<unknown>;
  /** From now on no read of this token joins a GET that began before: call it when a write has ended. */
  forget(token: string): void;
}

export function createSharing(): Sharing {
  const byToken = new Map<string, Map<string, Shared>>();

  function begin(token: string, url: string, start: Start): Shared {
    const calls = byToken.get(token) ?? new Map<string, Shared>();
    byToken.set(token, calls);
    const controller = new AbortController();
    const leave = () => {
      if (calls.get(url) === shared) calls.delete(url);
      if (calls.size === 0 && byToken.get(token) === calls) byToken.delete(token);
    };
    const shared: Shared = {
      controller,
      waiting: 0,
      answer: start(controller.signal).finally(leave),
    };
    // An aborted call has nothing to share, though its answer is still to settle.
    controller.signal.addEventListener('abort', leave);
    calls.set(url, shared);
    return shared;
  }

  return {
    read({ token, url, signal }, start) {
      const shared = byToken.get(token)?.get(url) ?? begin(token, url, start);
      return wait(shared, signal);
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
