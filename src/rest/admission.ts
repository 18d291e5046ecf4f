import { type Call, OverloadedError } from './errors.ts';

/** What stands before the pool of connections: it lets in what can be served soon. */
export interface Admission {
  /** Runs what makes a call, or throws OverloadedError at once. */
  pass<T>(call: Call, run: () => Promise<T>): Promise<T>;
  /** Calls under way, those that wait for a connection included. */
  readonly inside: number;
}

export interface AdmissionOptions {
  readonly connections: number;
  /** How many calls may wait for a connection. */
  readonly maxQueue: number;
  /** Whether this process is too busy to keep up with what it has. */
  readonly isLagging: () => boolean;
}

/** When to come back: by then a queue has moved on, or a burst is over. Unit: seconds. */
const RETRY_AFTER_SECONDS = 1;

export function createAdmission({
  connections,
  maxQueue,
  isLagging,
}: AdmissionOptions): Admission {
  let inside = 0;
  return {
    async pass(call, run) {
      if (inside >= connections + maxQueue) {
        throw new OverloadedError(
          call,
          'not made: too many wait already',
          RETRY_AFTER_SECONDS,
        );
      }
      if (isLagging()) {
        throw new OverloadedError(
          call,
          'not made: the gateway cannot keep up',
          RETRY_AFTER_SECONDS,
        );
      }
      inside += 1;
      try {
        return await run();
      } finally {
        inside -= 1;
      }
    },
    get inside() {
      return inside;
    },
  };
}
