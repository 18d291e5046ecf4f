import { isObject } from '../rest/decode.ts';
import type { OwnState } from './own-state.ts';
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

/** What all callers of an endpoint share. */
export interface SharedPaging {
  /** The style that works for those who have tried nothing; null if none is known. */
  readonly style: LearnedStyle | null;
  /** Until when no page looks for a style, unless it cannot be read otherwise. Unit: milliseconds. */
  readonly noneUntil: number;
  /** The keys of the callers that found another style than this one, or, without one, that none works. */
  readonly otherwise: ReadonlySet<string>;
  /** The run that others leave the learning to, and for how long. */
  running: { readonly ended: Promise<void>; readonly until: number } | null;
  /** Takes what a caller has found; `style` is null if none works for it. */
  found(style: LearnedStyle | null, own: Pick<OwnState<unknown>, 'caller' | 'now'>): void;
  /** Takes over what another process has learned. */
  adopt(style: LearnedStyle): void;
}

/** One caller is enough to find a style: a page to which it does not apply shows that. Nothing shows that a style is missing. */
export function createSharedPaging(
  onChange: (style: LearnedStyle | null) => void,
): SharedPaging {
  const otherwise = new Set<string>();
  let style: LearnedStyle | null = null;
  let noneUntil = 0;
  return {
    get style() {
      return style;
    },
    get noneUntil() {
      return noneUntil;
    },
    otherwise,
    running: null,
    found(found, { caller, now }) {
      if (style !== null && isSame(found, style)) return;
      if (style !== null || found === null) otherwise.add(caller.key);
      const isFirst = style === null && found !== null;
      const isBelieved = isFirst || otherwise.size >= ENOUGH;
      if (isBelieved) {
        style = found;
        noneUntil = found === null ? now() + NONE_FOR_MS : 0;
        otherwise.clear();
      }
      if (isBelieved || style === null) onChange(style);
    },
    adopt(other) {
      style = other;
      noneUntil = 0;
      otherwise.clear();
    },
  };
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
