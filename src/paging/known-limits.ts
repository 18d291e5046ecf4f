import type { OwnState } from '../callers/own-state.ts';
import { DEFAULT_PAGE_SIZE, type Page } from '../rest/list.ts';

/** A `limit` that every service accepts. */
export const SAFE_LIMIT = DEFAULT_PAGE_SIZE;

/** What is known of the highest `limit` that one list endpoint takes from one caller. */
interface LimitState {
  /** The highest that was accepted. */
  accepted: number;
  /** The lowest that was refused; infinite if none was. A refusal says nothing about a lower one. */
  refused: number;
  /** How many items the longest page had that was cut; infinite if none was. */
  cut: number;
  /** When one page may ask for more again. Unit: milliseconds. */
  retryAt: number;
  /** Until when a short page means that the service left items out, not that it has a maximum. Unit: milliseconds. */
  leavesOutUntil: number;
  /** How many usual maximums may still be tried. */
  guesses: number;
}

type Own = OwnState<{ readonly limits: LimitState }>;

/** Before the service has refused or cut any `limit`. */
export const NO_MAXIMUM: Readonly<LimitState> = Object.freeze({
  accepted: SAFE_LIMIT,
  refused: Number.POSITIVE_INFINITY,
  cut: Number.POSITIVE_INFINITY,
  retryAt: 0,
  leavesOutUntil: 0,
  guesses: 3,
});

/** How long a maximum is believed before one page asks for its whole size again. Unit: milliseconds. */
const RETRY_AFTER_MS = 600_000;

/** The highest first. */
const USUAL_MAXIMUMS = [100, 50, 20];

/**
 * The highest `limit` of one list endpoint, as one caller has met it: a service may give another caller more. Nothing is kept
 * for a caller until the service refuses or cuts a `limit` of its own. Open point: maximum limit.
 */
export class KnownLimits {
  readonly #own: Own;
  readonly #onChange: (longest: number | null) => void;

  constructor(own: Own, onChange: (longest: number | null) => void) {
    this.#own = own;
    this.#onChange = onChange;
  }

  get #known(): Readonly<LimitState> {
    return this.#own.find()?.limits ?? NO_MAXIMUM;
  }

  /** The `limit` to ask for where this one is wanted: lower if the service refused as much, or returns fewer items. */
  limitFor(limit: number): number {
    const { accepted, refused, cut } = this.#known;
    return Math.min(limit < refused ? limit : accepted, cut);
  }

  /** Whether the service has accepted this `limit`, and returned as many items or all there are. */
  accepts(limit: number): boolean {
    const { accepted, cut } = this.#known;
    return limit <= Math.min(accepted, cut);
  }

  /** Takes a usual maximum between what was accepted and what was refused; null if none is left to try. */
  takeGuess(): number | null {
    const { accepted, refused, guesses } = this.#known;
    if (refused === Number.POSITIVE_INFINITY || guesses === 0) return null;
    this.#own.get().limits.guesses -= 1;
    return USUAL_MAXIMUMS.find((one) => one > accepted && one < refused) ?? null;
  }

  /** Whether a page may be shorter than its `limit` without a maximum. */
  leavesOut(): boolean {
    return this.#own.now() < this.#known.leavesOutUntil;
  }

  /** The most items that are asked for at once; null if the service has not refused or cut any `limit`. */
  longest(): number | null {
    return longestOf(this.#known);
  }

  /** True for one page every RETRY_AFTER_MS: it asks for more than was accepted, because the maximum may be higher now. */
  takeRetry(): boolean {
    const { limits } = this.#own.get();
    if (this.#own.now() < limits.retryAt) return false;
    this.#believe(limits);
    return true;
  }

  /** The service refused this `limit`, and accepted ten instead. */
  refused(limit: number): void {
    const { limits } = this.#own.get();
    const before = longestOf(limits);
    limits.refused = Math.min(limits.refused, limit);
    if (limits.accepted >= limits.refused) limits.accepted = SAFE_LIMIT;
    this.#believe(limits);
    this.#report(before);
  }

  /**
   * Notes the page that a `limit` got. Returns whether it counts as cut. A page that must fit into one call does not: asking
   * for less would gain nothing.
   */
  answered(limit: number, { items, hasMore }: Page<unknown>, isOneCall = false): boolean {
    const count = items.length;
    const isCut = hasMore && count < limit && !(isOneCall && count >= SAFE_LIMIT);
    const limits = isCut ? this.#own.get().limits : this.#own.find()?.limits;
    if (limits === undefined) return isCut;
    const before = longestOf(limits);
    if (limit >= limits.refused) limits.refused = Number.POSITIVE_INFINITY;
    limits.accepted = Math.max(limits.accepted, limit);
    if (isCut) {
      // No maximum is below ten, or changes with every page: the service leaves items out.
      const isKnown = limit <= limits.cut && limits.cut !== Number.POSITIVE_INFINITY;
      if (isKnown || count < SAFE_LIMIT || this.leavesOut()) {
        limits.cut = Number.POSITIVE_INFINITY;
        limits.leavesOutUntil = this.#own.now() + RETRY_AFTER_MS;
      } else limits.cut = count;
      this.#believe(limits);
    } else if (count > limits.cut) limits.cut = Number.POSITIVE_INFINITY;
    this.#report(before);
    return isCut;
  }

  #believe(limits: LimitState): void {
    limits.retryAt = this.#own.now() + RETRY_AFTER_MS;
  }

  #report(before: number | null): void {
    const longest = this.longest();
    if (longest !== before) this.#onChange(longest);
  }
}

function longestOf({ accepted, refused, cut }: Readonly<LimitState>): number | null {
  const known = Math.min(refused === Number.POSITIVE_INFINITY ? refused : accepted, cut);
  return known === Number.POSITIVE_INFINITY ? null : known;
}
