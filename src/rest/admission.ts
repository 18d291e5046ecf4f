import type { Layer } from './chain.ts';
import { OverloadedError } from './errors.ts';

/** Admission control before the pool of connections: it admits only calls that can be served soon. */
export interface Admission {
  /** Throws OverloadedError for a call that is not admitted. */
  readonly layer: Layer;
  /** Admitted calls that have not ended, including those that wait for a connection. */
  readonly inside: number;
}

export interface AdmissionOptions {
  readonly connections: number;
  /** How many calls may wait for a connection. */
  readonly maxQueue: number;
  /** Whether this process is too busy to keep up with its work. */
  readonly isLagging: () => boolean;
}

/** When a refused client should try again: by then the queue has moved, or the burst is over. Unit: seconds. */
const RETRY_AFTER_SECONDS = 1;

export function createAdmission({
  connections,
  maxQueue,
  isLagging,
}: AdmissionOptions): Admission {
  let inside = 0;
  return {
    layer: (next) => async (request) => {
      const reason =
        inside >= connections + maxQueue
          ? 'too many calls are waiting'
          : isLagging()
            ? 'the gateway cannot keep up'
            : null;
      if (reason !== null) {
        throw new OverloadedError(
          request.call,
          `was not sent: ${reason}`,
          RETRY_AFTER_SECONDS,
        );
      }
      inside += 1;
      try {
        return await next(request);
      } finally {
        inside -= 1;
      }
    },
    get inside() {
      return inside;
    },
  };
}
