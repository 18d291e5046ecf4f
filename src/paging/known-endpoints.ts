import type { CallerId } from '../callers/caller-id.ts';
import { createOwnStates } from '../callers/own-state.ts';
import { KnownLimits, NO_MAXIMUM } from './known-limits.ts';
import { KnownOrder } from './known-order.ts';
import { KnownPaging, NOT_TRIED } from './known-paging.ts';
import type { NewestEnd } from './newest-end.ts';
import { isLearnedStyle, SharedPaging } from './shared-paging.ts';

/** What one process has learned of the service, and the others need not learn again. Of each key, the latest fact counts. */
export interface Facts {
  /** Shares a fact, which JSON can hold, with the other processes, and with those that start later. */
  share(key: string, fact: unknown): void;
  /** Hears the facts that other processes share. */
  listen(listener: (key: string, fact: unknown) => void): void;
}

/** For a process that is alone. */
export const NO_FACTS: Facts = { share() {}, listen() {} };

/** What a process has learned of one list endpoint, as far as it is true for one caller. */
export interface KnownEndpoint {
  readonly limits: KnownLimits;
  readonly paging: KnownPaging;
  readonly order: KnownOrder;
}

/** The same for people: the log, the metrics and /readyz show it. It holds no data of any caller. */
export interface LearnedEndpoint {
  /** Its path, `/v1/messages`. */
  readonly endpoint: string;
  /** The style that works, `limit` if a caller has found that no other does; null if that is not known. */
  readonly paging: string | null;
  /** Whether the style reads pages before an item too; null if no style is known. */
  readonly backward: boolean | null;
  /** The largest `limit` sent for the caller that learned one last; null if the service refuses or cuts none. */
  readonly maxLimit: number | null;
}

/**
 * What a process has learned, by endpoint. All callers share the style that works, because each page shows by its items
 * whether it does. What makes pages shorter, or rules a style out, is kept for the caller that has met it.
 */
export interface EndpointMemory {
  /** `key` is that of a list: the path, and the filters after `?`. */
  of(key: string, caller: Pick<CallerId, 'key'>): KnownEndpoint;
  /** Without the endpoints of which nothing is learned. */
  learned(): readonly LearnedEndpoint[];
}

interface MemoryOptions {
  readonly onLearned?: (learned: LearnedEndpoint) => void;
  /** Through which processes share the styles that work. Default: there is one process. */
  readonly facts?: Facts;
  readonly now?: () => number;
}

/** With the path of an endpoint, the key under which processes share the style that works there. */
const ENDPOINT_FACT = 'endpoint ';

/** The interface has two list endpoints. If there are ever more than this, all are forgotten. Unit: endpoints. */
const MAX_ENDPOINTS = 16;

const nothingLearned = () => ({
  limits: { ...NO_MAXIMUM },
  paging: { ...NOT_TRIED },
  newestEnd: null as NewestEnd | null,
});

export function createEndpointMemory({
  onLearned = () => {},
  facts = NO_FACTS,
  now = Date.now,
}: MemoryOptions = {}): EndpointMemory {
  type Endpoint = ReturnType<typeof create>;
  const endpoints = new Map<string, Endpoint>();
  const ownStates = createOwnStates(now);

  function create(path: string) {
    let maxLimit: number | null = null;
    const describe = (): LearnedEndpoint => {
      const { style } = paging;
      const isNone = paging.otherwise.size > 0 || now() < paging.noneUntil;
      return {
        endpoint: path,
        paging: style?.name ?? (isNone ? 'limit' : null),
        backward: style?.hasBack ?? (isNone ? true : null),
        maxLimit,
      };
    };
    const report = () => onLearned(describe());
    const paging = new SharedPaging((style) => {
      report();
      if (style !== null) facts.share(`${ENDPOINT_FACT}${path}`, style);
    });
    const onMaximum = (longest: number | null) => {
      maxLimit = longest;
      report();
    };
    return { paging, describe, onMaximum };
  }

  function ofPath(path: string): Endpoint {
    const known = endpoints.get(path);
    if (known !== undefined) return known;
    if (endpoints.size >= MAX_ENDPOINTS) endpoints.clear();
    const fresh = create(path);
    endpoints.set(path, fresh);
    return fresh;
  }

  facts.listen((key, fact) => {
    if (!key.startsWith(ENDPOINT_FACT) || !isLearnedStyle(fact)) return;
    ofPath(key.slice(ENDPOINT_FACT.length)).paging.adopt(fact);
  });

  return {
    of(key, caller) {
      const query = key.indexOf('?');
      const path = query === -1 ? key : key.slice(0, query);
      const { paging, onMaximum } = ofPath(path);
      const own = ownStates(path, caller, nothingLearned);
      return {
        limits: new KnownLimits(own, onMaximum),
        paging: new KnownPaging(own, paging),
        order: new KnownOrder(own),
      };
    },
    learned: () =>
      Array.from(endpoints.values(), ({ describe }) => describe()).filter(
        ({ paging, maxLimit }) => paging !== null || maxLimit !== null,
      ),
  };
}
