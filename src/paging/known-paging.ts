import type { UnknownId } from './parameters.ts';

/** What one extra call finds out: whether a parameter pages, or whether the service refuses an unknown id. */
export type Trial = 'starting_after' | 'ending_before' | 'unknown id' | 'offset' | 'page';

/** The styles that can be learned, the best first. */
const STYLES = ['starting_after', 'offset', 'page'] as const;

/** A style that the items of the service's answers have shown to work. */
export interface LearnedStyle {
  readonly name: (typeof STYLES)[number];
  /** Whether it reads pages before an item too, as far as known. */
  readonly hasBack: boolean;
  readonly unknownId: UnknownId;
}

type Facts = Partial<Record<Trial, boolean>>;

/** `unclear`: there was no readable answer, or the list changed. */
export type Verdict = 'yes' | 'no' | 'unclear';

/** The trials that one page makes to learn. Only one series runs at a time, so other pages do not repeat its trials. */
export interface Series {
  /** The next trial; null if enough is known, or no call is left. */
  next(): Trial | null;
  /** Notes what a trial has shown, and that it took a call. */
  note(trial: Trial, verdict: Verdict): void;
  /** Whether a style works. */
  hasFound(): boolean;
  /** Whether a call is left for another purpose. */
  hasCall(): boolean;
  /** Notes a call for another purpose. */
  noteCall(): void;
  end(): void;
}

/** What processes share of one endpoint. */
export interface PagingState {
  readonly learned: LearnedStyle | null;
  readonly isNone: boolean;
}

/** What a process has learned of how one list endpoint pages. Open point: pagination parameter. */
export interface KnownPaging {
  /** The style that works; null if none is known. */
  learned(): LearnedStyle | null;
  /** Whether every style was tried, and none works. */
  isNone(): boolean;
  /** The learned style has failed at a page: it is to be tried again, at most once a minute. */
  doubt(): void;
  /** Null if there is nothing to learn now, or another series is running. */
  begin(): Series | null;
  /** Resolves when no series is running. */
  settled(): Promise<void>;
  state(): PagingState;
  /** Takes over what another process has learned. */
  adopt(state: PagingState): void;
}

/**
 * The extra calls that learning may cost, once a process and endpoint: four, and a fifth if a `limit` is refused meanwhile,
 * which a style that is set by hand would meet as well. Unit: calls.
 */
const MAX_CALLS = 5;
/** How long it is believed that no style works. Unit: milliseconds. */
const NONE_FOR_MS = 3_600_000;
/** How long to wait before further calls, if they were not enough, or if a learned style fails again. Unit: milliseconds. */
const PAUSE_MS = 60_000;

export function createKnownPaging(
  onChange: () => void,
  now: () => number = Date.now,
): KnownPaging {
  let facts: Facts = {};
  let learned: LearnedStyle | null = null;
  /** The style that worked until it failed at a page; it is tried first. */
  let last: LearnedStyle | null = null;
  let isNone = false;
  let left = MAX_CALLS;
  /** When the next calls to learn may be made, if none is left now. */
  let nextAt = 0;
  let running: PromiseWithResolvers<void> | null = null;
  let reported = '';

  function end(): void {
    learned = toStyle(facts);
    // If no answer has shown that the doubted style fails, it is still used.
    if (learned === null && left === 0 && last !== null && facts[last.name] !== false)
      learned = last;
    if (learned !== null) last = null;
    isNone = learned === null && STYLES.every((name) => facts[name] === false);
    if (isNone) nextAt = now() + NONE_FOR_MS;
    else if (left === 0) nextAt = now() + PAUSE_MS;
    running?.resolve();
    running = null;
    report();
  }

  function report(): void {
    const state = JSON.stringify([learned, isNone]);
    const isNews = learned !== null || isNone;
    if (!isNews || state === reported) return;
    reported = state;
    onChange();
  }

  return {
    learned: () => learned,
    isNone: () => isNone,
    doubt() {
      if (learned === null || now() < nextAt) return;
      last = learned;
      learned = null;
      facts = {};
      left = MAX_CALLS;
      nextAt = now() + PAUSE_MS;
    },
    begin() {
      if (running !== null || learned !== null) return null;
      if (isNone || left === 0) {
        if (now() < nextAt) return null;
        facts = {};
        left = MAX_CALLS;
      }
      running = Promise.withResolvers();
      const tried = new Set<Trial>();
      return {
        next() {
          const next = chooseTrial(facts, tried, last?.name);
          // The way back is no hurry: a page that is read backward shows whether there is one.
          const reserved = next === 'ending_before' ? 1 : 0;
          return left > reserved ? next : null;
        },
        note(trial, verdict) {
          left -= 1;
          tried.add(trial);
          if (verdict !== 'unclear') facts[trial] = verdict === 'yes';
        },
        hasFound: () => toStyle(facts) !== null,
        hasCall: () => left > 0,
        noteCall() {
          left -= 1;
        },
        end,
      };
    },
    settled: async () => running?.promise,
    state: () => ({ learned, isNone }),
    adopt(state) {
      // A series that runs ends with what these facts and its own say.
      if (state.learned === null && !state.isNone) return;
      ({ learned, isNone } = state);
      facts = toFacts(state);
      last = null;
      if (isNone) nextAt = now() + NONE_FOR_MS;
      reported = JSON.stringify([learned, isNone]);
    },
  };
}

/** The next thing to find out. A style that worked until now is tried first. */
function chooseTrial(
  facts: Readonly<Facts>,
  tried: ReadonlySet<Trial>,
  last: LearnedStyle['name'] | undefined,
): Trial | null {
  const works = STYLES.find((name) => facts[name] === true);
  const open: readonly Trial[] =
    works === undefined
      ? [...STYLES].sort((a, b) => Number(b === last) - Number(a === last))
      : works === 'starting_after'
        ? ['unknown id', 'ending_before']
        : [];
  return open.find((trial) => facts[trial] === undefined && !tried.has(trial)) ?? null;
}

function toFacts({ learned }: PagingState): Facts {
  if (learned === null) return Object.fromEntries(STYLES.map((name) => [name, false]));
  const { name, hasBack, unknownId } = learned;
  const found: Facts = { [name]: true, 'unknown id': unknownId === 'refused' };
  return name === 'starting_after' ? { ...found, ending_before: hasBack } : found;
}

function toStyle(facts: Readonly<Facts>): LearnedStyle | null {
  const name = STYLES.find((style) => facts[style] === true);
  if (name === undefined) return null;
  return {
    name,
    // Not known is not no: each page shows by its items whether the service has read backward.
    hasBack: name !== 'starting_after' || facts.ending_before !== false,
    unknownId: facts['unknown id'] === true ? 'refused' : 'first',
  };
}
