/** Each name and each value counts as this much at least, because writing many short ones takes time. Unit: bytes. */
export const LEAST_BYTES = 24;
/** A control character, or half of a surrogate pair alone, is written as `\u0000`. Unit: bytes. */
const LONGEST_ESCAPE = 6;

/** An upper bound of what a text takes as JSON, without reading it: most answers are far below every limit. */
export const roughSizeOfText = ({ length }: string): number =>
  LEAST_BYTES + length * LONGEST_ESCAPE;

/** The bytes of a text in UTF-8 with JSON's escapes; `LEAST_BYTES` for a short one. More than `limit` need not be exact. */
export const sizeOfText = (text: string, limit: number): number =>
  text.length > limit
    ? text.length
    : Math.max(LEAST_BYTES, Buffer.byteLength(JSON.stringify(text)) - 2);

/** Subtracts the size of a value as JSON from `before`. Negative: the value does not fit. */
type LeftAfter = (value: unknown, before: number) => number;

/**
 * Counts the bytes of values as JSON, and stops when a value does not fit. It remembers the objects that did not fit:
 * to begin with an object of many keys takes a tenth of a second, whatever is left, since all its keys are listed first.
 */
function createCounter(sizeOf: (text: string, limit: number) => number): LeftAfter {
  /** How far objects that did not fit were counted. Unit: bytes. */
  const tooLarge = new WeakMap<object, number>();

  function leftAfter(value: unknown, before: number): number {
    if (typeof value === 'string') return before - sizeOf(value, before);
    const left = before - LEAST_BYTES;
    if (left < 0 || typeof value !== 'object' || value === null) return left;
    return Array.isArray(value) ? afterItems(value, left) : afterFields(value, left);
  }

  function afterItems(items: readonly unknown[], before: number): number {
    let left = before;
    for (let index = 0; index < items.length && left >= 0; index += 1) {
      left = leftAfter(items[index], left);
    }
    return left;
  }

  function afterFields(object: object, before: number): number {
    if (before < (tooLarge.get(object) ?? 0)) return -1;
    let left = before;
    for (const key in object) {
      left -= sizeOf(key, left);
      if (left >= 0) left = leftAfter((object as Record<string, unknown>)[key], left);
      if (left >= 0) continue;
      tooLarge.set(object, before - left);
      break;
    }
    return left;
  }

  return leftAfter;
}

/** Reads no text, and counts no less than a value takes. */
export const leftAfterRoughly = createCounter(roughSizeOfText);

/** Reads every text. */
export const leftAfter = createCounter(sizeOfText);
