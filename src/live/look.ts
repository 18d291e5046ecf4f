import { randomUUID } from 'node:crypto';
import type { PageOptions } from '../paging/cost.ts';
import { Cancellation, IS_OVER } from '../rest/abort.ts';
import type { CallerId } from '../rest/caller-id.ts';
import type { RestClient } from '../rest/client.ts';
import { nullIfUnknown } from '../rest/errors.ts';
import type { CallObserver } from '../rest/observe.ts';
import { createPlaces } from '../rest/places.ts';
import { createRoundRobin } from '../rest/round-robin.ts';
import type { OperationTime } from '../rest/time-limit.ts';
import type { Source } from './source.ts';
import { createWindowReader, type Window } from './window.ts';

/** Looks at one list with one token: the window; null if the service does not know the object whose list it is. */
export type Look<T> = () => Promise<Window<T> | null>;

/** Begins to watch a list with a token: returns the function that looks at it. */
export type OpenLook = <T>(source: Source<T>, token: string, address?: string) => Look<T>;

export interface LookOptions {
  readonly client: Pick<RestClient, 'callerOf' | 'forCaller' | 'meters'>;
  readonly paging: PageOptions;
  /** How many looks may run at once: a thousand tokens may have to look in one moment, and other calls need connections. */
  readonly atOnce: number;
  /** The time of one look, and that of its wait for a place before. */
  readonly time: OperationTime;
  /** Observes the calls of a look, which carry this request id. */
  readonly observe: (requestId: string) => CallObserver;
}

export function createOpenLook({
  client,
  paging,
  atOnce,
  time,
  observe,
}: LookOptions): OpenLook {
  const places = createPlaces(atOnce);
  const roundRobin = createRoundRobin(places);

  /**
   * Waits for a place, in turns with other callers: the service may be slow for all lists of one. Null: there is one;
   * otherwise why there is none.
   */
  const waitForPlace = (caller: CallerId) =>
    new Promise<unknown>((resolve) => {
      const wait = new Cancellation();
      const clock = time(wait);
      const waiting = {
        caller,
        expires: clock.expires,
        begin() {
          clock.stop();
          resolve(null);
        },
        handleEvent() {
          roundRobin.remove(waiting);
          resolve(wait.reason);
        },
      };
      wait.addEventListener('abort', waiting);
      roundRobin.add(waiting);
    });

  return <T>(source: Source<T>, token: string, address?: string): Look<T> => {
    const read = createWindowReader(paging, source.times);

    async function look(end: Cancellation): Promise<Window<T> | null> {
      const clock = time(end);
      const meter = client.meters.open(token, address);
      const send = client.forCaller({
        token,
        signal: end,
        // In the past, so that a 429 is not waited out here: the next look waits.
        deadline: 0,
        observer: observe(randomUUID()),
        budget: { spend: nothing },
        meter,
      });
      const list = source.list(send);
      try {
        return await (list.filtersById ? read(list).catch(nullIfUnknown) : read(list));
      } finally {
        clock.stop();
        meter.close();
        end.abort(IS_OVER);
      }
    }

    return async () => {
      const end = new Cancellation();
      const caller = client.callerOf(token, address);
      const trouble = places.take(caller) ? null : await waitForPlace(caller);
      // The calls of an aborted look are not made, and say why.
      if (trouble !== null) end.abort(trouble);
      try {
        return await look(end);
      } finally {
        if (trouble === null) {
          places.give(caller);
          roundRobin.grant();
        }
      }
    };
  };
}

/** The bounds of one list limit the calls of a look. */
const nothing = () => {};
