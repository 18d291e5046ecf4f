import { ownerOf } from '../callers/caller-id.ts';
import type { OwnState } from '../callers/own-state.ts';
import { isObject } from '../rest/decode.ts';
import { UNKNOWN_IDS, type UnknownId } from './parameters.ts';

/** The styles that can be learned, the best first. */
export const STYLES = ['starting_after', 'offset', 'page'] as const;

/** A style that the items of the service's answers have shown to work. */
export interface LearnedStyle {
  readonly name: (typeof STYLES)[number];
  /** Whether it reads pages before an item too, as far as known. */
  readonly hasBack: boolean;
  readonly unknownId: UnknownId;
}

/** How long it is believed that no style works. Unit: milliseconds. */
export const NONE_FOR_MS = 3_600_000;
/** So many callers must find otherwise until it counts for those who have tried nothing. */
const ENOUGH = 3;

/**
 * What all callers of an endpoint share. One caller's style is enough: each page shows whether it works. No page shows that
 * none works.
 */
export class SharedPaging {
  /** The style that works for those who have tried nothing; null if none is known. */
  style: LearnedStyle | null = null;
  /** Until when no page looks for a style, unless it cannot be read otherwise. Unit: milliseconds. */
  noneUntil = 0;
  /** The owners of the callers that found another style than this one, or, without one, that none works. */
  readonly otherwise = new Set<string>();
  /** The run that others leave the learning to, and for how long. */
  running: { readonly ended: Promise<void>; readonly until: number } | null = null;
  readonly #onChange: (style: LearnedStyle | null) => void;

  constructor(onChange: (style: LearnedStyle | null) => void) {
    this.#onChange = onChange;
  }

  /** Takes what a caller has found; null if no style works for it. */
  found(
    found: LearnedStyle | null,
    { caller, now }: Pick<OwnState<unknown>, 'caller' | 'now'>,
  ): void {
    const { style } = this;
    if (style !== null && isSame(found, style)) return;
    if (style !== null || found === null) this.otherwise.add(ownerOf(caller.key));
    const isFirst = style === null && found !== null;
    const isBelieved = isFirst || this.otherwise.size >= ENOUGH;
    if (isBelieved) this.#believe(found, found === null ? now() + NONE_FOR_MS : 0);
    if (isBelieved || style === null) this.#onChange(this.style);
  }

  /** Takes over what another process has learned. */
  adopt(style: LearnedStyle): void {
    this.#believe(style, 0);
  }

  #believe(style: LearnedStyle | null, noneUntil: number): void {
    this.style = style;
    this.noneUntil = noneUntil;
    this.otherwise.clear();
  }
}

/** Checks what another process has sent. */
export const isLearnedStyle = (fact: unknown): fact is LearnedStyle =>
  isObject(fact) &&
  isOneOf(STYLES, fact.name) &&
  typeof fact.hasBack === 'boolean' &&
  isOneOf(UNKNOWN_IDS, fact.unknownId);

const isOneOf = (values: readonly unknown[], value: unknown): boolean =>
  values.includes(value);

const isSame = (one: LearnedStyle | null, other: LearnedStyle): boolean =>
  one?.name === other.name &&
  one.hasBack === other.hasBack &&
  one.unknownId === other.unknownId;
