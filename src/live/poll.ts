import { randomUUID } from 'node:crypto';
import { type Cancellation, IS_OVER, waitUnlessAborted } from '../callers/abort.ts';
import type { CallerId } from '../callers/caller-id.ts';
import { FairQueue } from '../callers/rounds.ts';
import { FairSlots } from '../callers/shares.ts';
import type { OperationTime } from '../callers/time-limit.ts';
import type { PageOptions } from '../paging/cost.ts';
import type { RestClient } from '../rest/client.ts';
import { nullIfUnknown } from '../rest/errors.ts';
import type { CallObserver } from '../rest/observe.ts';
import type { WatchedList } from './watched-list.ts';
import { createWindowReader, type Window } from './window.ts';

/**
 * Polls one list with one token: reads its window; null if the service does not know the object whose list it is. `end` is
 * aborted to give the poll up.
 */
export type Poll<T> = (end: Cancellation) => Promise<Window<T> | null>;

/** Makes the function that polls a list with the token of the caller that subscribed first. */
export type CreatePoll = <T>(source: WatchedList<T>, caller: CallerId) => Poll<T>;

export interface PollerOptions {
  readonly client: Pick<RestClient, 'forCaller' | 'meters' | 'redactorOf'>;
  readonly paging: PageOptions;
  /** How many polls may run at once: a thousand tokens may have to poll in one moment, and other calls need connections. */
  readonly atOnce: number;
  /** The time of one poll, with its wait for a place. */
  readonly time: OperationTime;
  /** Observes the calls of a poll, which carry this request id. */
  readonly observe: (requestId: string) => CallObserver;
}

export function createPoller(options: PollerOptions): CreatePoll {
  const { client, paging, time, observe } = options;
  const slots = new FairSlots(options.atOnce);
  const queue = new FairQueue(slots);

  /** Waits for a place in turns with other callers, because the service may be slow for all lists of one. False: `end` came first. */
  const waitForPlace = (caller: CallerId, expires: number, end: Cancellation) =>
    waitUnlessAborted(end, (begin) => {
      const waiting = { caller, expires, begin };
      queue.add(waiting);
      return () => queue.remove(waiting);
    });

  return <T>(source: WatchedList<T>, subscriber: CallerId): Poll<T> => {
    const read = createWindowReader<T>(paging);

    async function readOnce(
      caller: CallerId,
      end: Cancellation,
    ): Promise<Window<T> | null> {
      const meter = client.meters.open(caller);
      const send = client.forCaller({
        signal: end,
        // In the past, so that a 429 is not waited out here: the next poll waits.
        deadline: 0,
        observer: observe(randomUUID()),
        budget: { spend: nothing },
        meter,
        redact: client.redactorOf(caller.token, caller.forwarded),
      });
      try {
        const list = source.list(send);
        return await (list.filtersById ? read(list).catch(nullIfUnknown) : read(list));
      } finally {
        meter.close();
      }
    }

    return async (end) => {
      const deadline = time(end);
      // A caller keeps its share, and the service may have accepted its token, or refused it, since the last poll.
      const caller = subscriber.renewed();
      const hasPlace =
        slots.acquire(caller) || (await waitForPlace(caller, deadline.expires, end));
      try {
        // The calls of a poll that was aborted are not made, and say why.
        return await readOnce(caller, end);
      } finally {
        deadline.stop();
        end.abort(IS_OVER);
        if (hasPlace) {
          slots.release(caller);
          queue.grant();
        }
      }
    };
  };
}

/** A poll has no budget of its own: the bounds of one list limit its calls. */
const nothing = () => {};
