import type { OwnState } from '../callers/own-state.ts';
import {
  type LearnedStyle,
  NONE_FOR_MS,
  type SharedPaging,
  STYLES,
} from './shared-paging.ts';

/** What one extra call finds out: whether a parameter pages, or whether the service refuses an unknown id. */
export type TrialName =
  | 'starting_after'
  | 'ending_before'
  | 'unknown id'
  | 'offset'
  | 'page';

type TrialFacts = Readonly<Partial<Record<TrialName, boolean>>>;

/** `unclear`: there was no readable answer, or the list changed. */
export type TrialResult = 'yes' | 'no' | 'unclear';

/** The trials that one page makes to learn. A caller has one run at a time, so its other pages do not repeat the trials. */
export interface TrialRun {
  /** The next trial; null if enough is known, or no call is left. */
  next(): TrialName | null;
  /** Notes what a trial has shown, and that it took a call. */
  note(trial: TrialName, result: TrialResult): void;
  /** Whether a style works. */
  hasFound(): boolean;
  /** Whether a call is left for another purpose. */
  hasCall(): boolean;
  /** Notes a call for another purpose. */
  noteCall(): void;
  end(): void;
}

/** What one caller has found by trials of its own. */
interface OwnPaging {
  facts: TrialFacts;
  /** The style that works for it; null if it has found none. */
  learned: LearnedStyle | null;
  /** The style that worked until it failed at a page of this caller; it is tried first. */
  last: LearnedStyle | null;
  /** Whether every style was tried, and none works. */
  isNone: boolean;
  /** How many calls it may still make in order to learn. */
  callsLeft: number;
  /** When the next calls to learn may be made, if none is left now. Unit: milliseconds. */
  nextAt: number;
  /** Resolves at the end of the run under way; null if none does. */
  running: Promise<void> | null;
}

/**
 * The extra calls that learning may cost a caller at an endpoint before it must pause: four, and a fifth if a `limit` is
 * refused meanwhile, which a style that is set by hand would meet as well. Unit: calls.
 */
const MAX_CALLS = 5;
/** How long to wait before further calls, if they were not enough, or if a learned style fails again. Unit: milliseconds. */
const PAUSE_MS = 60_000;
/** How long others do not learn while one caller does. Unit: milliseconds. */
const OTHERS_MS = 1000;

type Own = OwnState<{ readonly paging: OwnPaging }>;

/** Of a caller that has tried nothing. */
export const NOT_TRIED: Readonly<OwnPaging> = Object.freeze({
  facts: {},
  learned: null,
  last: null,
  isNone: false,
  callsLeft: MAX_CALLS,
  nextAt: 0,
  running: null,
});

/** How one list endpoint pages, as far as it is known for one caller. Open point: pagination parameter. */
export class KnownPaging {
  readonly #own: Own;
  readonly #shared: SharedPaging;

  constructor(own: Own, shared: SharedPaging) {
    this.#own = own;
    this.#shared = shared;
  }

  /** The style that works; null if none is known. */
  learned(): LearnedStyle | null {
    const own = this.#own.find()?.paging ?? NOT_TRIED;
    if (own.learned !== null) return own.learned;
    const { style } = this.#shared;
    const isRuledOut = style === null || own.facts[style.name] === false;
    return own.last !== null || isRuledOut ? null : style;
  }

  /** Whether this caller has tried every style, and none works. */
  isNone(): boolean {
    return this.#own.find()?.paging.isNone ?? false;
  }

  /**
   * The learned style has failed at a page of this caller: it is to be tried again, at most once a minute. Returns whether
   * another caller had learned it.
   */
  doubt(): boolean {
    const style = this.learned();
    const { paging: own } = this.#own.get();
    if (style === null || this.#own.now() < own.nextAt) return false;
    const isOfOthers = own.learned === null;
    const nextAt = this.#own.now() + PAUSE_MS;
    // The first trial goes to the style that failed. If another caller had found it, this caller gets one call more for that
    // trial, which it would not need if it were alone.
    const callsLeft = MAX_CALLS + (isOfOthers ? 1 : 0);
    Object.assign(own, {
      ...NOT_TRIED,
      last: style,
      callsLeft,
      nextAt,
      running: own.running,
    });
    return isOfOthers;
  }

  /**
   * Null if there is nothing to learn now, or another run of this caller is under way. `isNeeded`: the page cannot be read
   * without a style, so it does not depend on what others learn or have found.
   */
  begin(isNeeded = false): TrialRun | null {
    const now = this.#own.now();
    const until = Math.max(this.#shared.noneUntil, this.#shared.running?.until ?? 0);
    if (this.learned() !== null || (!isNeeded && now < until)) return null;
    const { paging: own } = this.#own.get();
    if (own.running !== null) return null;
    if (own.isNone || own.callsLeft === 0) {
      if (now < own.nextAt) return null;
      Object.assign(own, { facts: {}, isNone: false, callsLeft: MAX_CALLS });
    }
    return this.#run(own);
  }

  /** Resolves when no run is under way. */
  async settled(): Promise<void> {
    await (this.#own.find()?.paging.running ?? this.#shared.running?.ended);
  }

  #run(own: OwnPaging): TrialRun {
    const { promise, resolve } = Promise.withResolvers<void>();
    const running = { ended: promise, until: this.#own.now() + OTHERS_MS };
    own.running = promise;
    this.#shared.running = running;
    const tried = new Set<TrialName>();
    return {
      next() {
        const next = chooseTrial(own.facts, tried, own.last?.name);
        // `ending_before` is tried only if another call is left. It can wait: a page that is read backward shows, too,
        // whether it works.
        const reserved = next === 'ending_before' ? 1 : 0;
        return own.callsLeft > reserved ? next : null;
      },
      note(trial, result) {
        own.callsLeft -= 1;
        tried.add(trial);
        if (result !== 'unclear') own.facts = { ...own.facts, [trial]: result === 'yes' };
      },
      hasFound: () => toStyle(own.facts) !== null,
      hasCall: () => own.callsLeft > 0,
      noteCall() {
        own.callsLeft = Math.max(0, own.callsLeft - 1);
      },
      end: () => {
        this.#conclude(own);
        own.running = null;
        if (this.#shared.running === running) this.#shared.running = null;
        resolve();
      },
    };
  }

  #conclude(own: OwnPaging): void {
    const { facts, last } = own;
    own.learned = toStyle(facts);
    // If no answer has shown that the doubted style fails, it is still used.
    if (own.learned === null && own.callsLeft === 0 && last && facts[last.name] !== false)
      own.learned = last;
    if (own.learned !== null) own.last = null;
    own.isNone = own.learned === null && STYLES.every((name) => facts[name] === false);
    if (own.isNone) own.nextAt = this.#own.now() + NONE_FOR_MS;
    else if (own.callsLeft === 0) own.nextAt = this.#own.now() + PAUSE_MS;
    if (own.learned !== null || own.isNone) this.#shared.found(own.learned, this.#own);
  }
}

/** The next thing to find out. A style that worked until now is tried first. */
function chooseTrial(
  facts: TrialFacts,
  tried: ReadonlySet<TrialName>,
  last: LearnedStyle['name'] | undefined,
): TrialName | null {
  const works = STYLES.find((name) => facts[name] === true);
  const open: readonly TrialName[] =
    works === undefined
      ? [...STYLES].sort((a, b) => Number(b === last) - Number(a === last))
      : works === 'starting_after'
        ? ['unknown id', 'ending_before']
        : [];
  return open.find((trial) => facts[trial] === undefined && !tried.has(trial)) ?? null;
}

function toStyle(facts: TrialFacts): LearnedStyle | null {
  const name = STYLES.find((style) => facts[style] === true);
  if (name === undefined) return null;
  return {
    name,
    // Not known is not no: each page shows by its items whether the service has read backward.
    hasBack: name !== 'starting_after' || facts.ending_before !== false,
    unknownId: facts['unknown id'] === true ? 'refused' : 'first',
  };
}
