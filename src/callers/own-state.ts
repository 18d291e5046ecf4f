import { LRUCache } from 'lru-cache';
import type { CallerId } from './caller-id.ts';

/** What is kept about one caller under one topic: how a list endpoint answered it, or who it is. */
export interface OwnState<T> {
  readonly caller: Pick<CallerId, 'key'>;
  now(): number;
  find(): T | undefined;
  /** Makes a state if there is none. */
  get(): T;
}

/** A state with its key takes less than a kilobyte. If it is dropped, its caller learns again. */
const MAX_STATES = 10_000;
/** No shorter than NONE_FOR_MS. Unit: milliseconds. */
const IDLE_MS = 3_600_000;

/** Finds the state of a caller under a topic, whose states are all of one type. Only callers of whom something was learned have one. */
export type OwnStates = <T extends object>(
  topic: string,
  caller: OwnState<T>['caller'],
  toFresh: () => T,
) => OwnState<T>;

export function createOwnStates(now: () => number): OwnStates {
  const states = new LRUCache<string, object>({
    // With `max`, room for all of them would be allocated at once.
    maxSize: MAX_STATES,
    sizeCalculation: () => 1,
    ttl: IDLE_MS,
    ttlResolution: 0,
    updateAgeOnGet: true,
    perf: { now },
  });
  return <T extends object>(
    topic: string,
    caller: OwnState<T>['caller'],
    toFresh: () => T,
  ) => {
    const toKey = () => `${caller.key} ${topic}`;
    const find = () =>
      states.size === 0 ? undefined : (states.get(toKey()) as T | undefined);
    return {
      caller,
      now,
      find,
      get() {
        const known = find();
        if (known !== undefined) return known;
        const fresh = toFresh();
        states.set(toKey(), fresh);
        return fresh;
      },
    };
  };
}
