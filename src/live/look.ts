import { randomUUID } from 'node:crypto';
import type { PageOptions } from '../paging/cost.ts';
import { Cancellation, IS_OVER, timeIsUp } from '../rest/abort.ts';
import type { RestClient } from '../rest/client.ts';
import { nullIfUnknown } from '../rest/errors.ts';
import type { CallObserver } from '../rest/observe.ts';
import type { Source } from './source.ts';
import { createLookTurns } from './turns.ts';
import { createWindowReader, type Window } from './window.ts';

/** Looks at one list with one token: the window; null if the service does not know the object whose list it is. */
export type Look<T> = () => Promise<Window<T> | null>;

/** Begins to watch a list with a token: returns the function that looks at it. */
export type OpenLook = <T>(source: Source<T>, token: string) => Look<T>;

export interface LookOptions {
  readonly client: Pick<RestClient, 'forCaller' | 'openMeter'>;
  readonly paging: PageOptions;
  /** How many looks may run at once. */
  readonly atOnce: number;
  /** How long one look may take. Unit: milliseconds. */
  readonly timeoutMs: number;
  /** Observes the calls of a look, which carry this request id. */
  readonly observe: (requestId: string) => CallObserver;
}

export function createOpenLook({
  client,
  paging,
  atOnce,
  timeoutMs,
  observe,
}: LookOptions): OpenLook {
  const turns = createLookTurns(atOnce);

  return <T>(source: Source<T>, token: string): Look<T> => {
    const read = createWindowReader(paging, source.times);

    async function look(): Promise<Window<T> | null> {
      const end = new Cancellation();
      const timer = setTimeout(() => end.abort(timeIsUp(timeoutMs)), timeoutMs);
      const meter = client.openMeter(token);
      const send = client.forCaller({
        token,
        signal: end,
        // In the past, so that a 429 is not waited out here: the next look waits.
        deadline: 0,
        observer: observe(randomUUID()),
        spend: nothing,
        meter,
      });
      const list = source.list(send);
      try {
        return await (list.filtersById ? read(list).catch(nullIfUnknown) : read(list));
      } finally {
        clearTimeout(timer);
        meter.close();
        end.abort(IS_OVER);
      }
    }

    return () => turns.run(look);
  };
}

/** The bounds of one list limit the calls of a look. */
const nothing = () => {};
