import { type Facts, NO_FACTS } from '../rest/facts.ts';
import { createKnownLimits, type KnownLimits, type LimitState } from './known-limits.ts';
import { createKnownPaging, type KnownPaging, type PagingState } from './known-paging.ts';

/** What a process has learned of one list endpoint. */
export interface KnownEndpoint {
  readonly limits: KnownLimits;
  readonly paging: KnownPaging;
}

/** The same for people: the log, the metrics and /readyz show it. It holds no data of any caller. */
export interface LearnedEndpoint {
  /** Its path, `/v1/messages`. */
  readonly endpoint: string;
  /** The style that works, `limit` if no other does; null if that is not known. */
  readonly paging: string | null;
  /** Whether the style reads pages before an item too; null if no style is known. */
  readonly backward: boolean | null;
  /** The most items that are asked for at once; null if the service has not refused or cut any `limit`. */
  readonly maxLimit: number | null;
}

/** What a process has learned, by endpoint. All operations share it, so everything is met once and not once a page. */
export interface EndpointMemory {
  /** `key` is that of a list: the path, and the filters after `?`. */
  of(key: string): KnownEndpoint;
  /** Without the endpoints of which nothing is learned. */
  learned(): readonly LearnedEndpoint[];
}

interface MemoryOptions {
  readonly onLearned?: (learned: LearnedEndpoint) => void;
  /** Through which processes share what they have learned. Default: there is one process. */
  readonly facts?: Facts;
  readonly now?: () => number;
}

/** With the path of an endpoint, the key under which processes share what they have learned of it. */
const ENDPOINT_FACT = 'endpoint ';

interface EndpointState {
  readonly limits: LimitState;
  readonly paging: PagingState;
}

/** The interface has two list endpoints. If there are ever more than this, all are learned anew. Unit: endpoints. */
const MAX_ENDPOINTS = 16;

export function createEndpointMemory({
  onLearned = () => {},
  facts = NO_FACTS,
  now = Date.now,
}: MemoryOptions = {}): EndpointMemory {
  const endpoints = new Map<string, KnownEndpoint>();

  function create(path: string): KnownEndpoint {
    const report = () => {
      onLearned(describe(path, endpoint));
      const { limits, paging } = endpoint;
      const state: EndpointState = { limits: limits.state(), paging: paging.state() };
      facts.share(`${ENDPOINT_FACT}${path}`, state);
    };
    const endpoint: KnownEndpoint = {
      limits: createKnownLimits(report, now),
      paging: createKnownPaging(report, now),
    };
    return endpoint;
  }

  function ofPath(path: string): KnownEndpoint {
    const known = endpoints.get(path);
    if (known !== undefined) return known;
    if (endpoints.size >= MAX_ENDPOINTS) endpoints.clear();
    const fresh = create(path);
    endpoints.set(path, fresh);
    return fresh;
  }

  facts.listen((key, fact) => {
    if (!key.startsWith(ENDPOINT_FACT)) return;
    const { limits, paging } = ofPath(key.slice(ENDPOINT_FACT.length));
    const state = fact as EndpointState;
    limits.adopt(state.limits);
    paging.adopt(state.paging);
  });

  return {
    of(key) {
      const query = key.indexOf('?');
      return ofPath(query === -1 ? key : key.slice(0, query));
    },
    learned: () =>
      [...endpoints]
        .map(([path, known]) => describe(path, known))
        .filter(({ paging, maxLimit }) => paging !== null || maxLimit !== null),
  };
}

function describe(endpoint: string, { limits, paging }: KnownEndpoint): LearnedEndpoint {
  const style = paging.learned();
  return {
    endpoint,
    paging: style?.name ?? (paging.isNone() ? 'limit' : null),
    backward: style?.hasBack ?? (paging.isNone() ? true : null),
    maxLimit: limits.longest(),
  };
}
