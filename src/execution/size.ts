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

/** To count an object of more than this again would take long. Unit: bytes. */
const LARGE = 65_536;

/**
 * Counts the bytes of values as JSON, and stops when a value does not fit. It counts a large object once: to begin with an
 * object of many keys takes a tenth of a second, whatever is left, since all its keys are listed first.
 */
function createCounter(sizeOf: (text: string, limit: number) => number): LeftAfter {
  /** `isWhole`: the size of the object. Otherwise it is larger: it did not fit, and was counted no further. */
  const counted = new WeakMap<object, { bytes: number; isWhole: boolean }>();

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
    const known = counted.get(object);
    if (known !== undefined && (known.isWhole || before < known.bytes))
      return before - known.bytes;
    let left = before;
    for (const key in object) {
      left -= sizeOf(key, left);
      if (left >= 0) left = leftAfter((object as Record<string, unknown>)[key], left);
      if (left < 0) break;
    }
    const bytes = before - left;
    const isWhole = left >= 0;
    // The keys of an object that did not fit may be many, however few of them were counted.
    if (bytes > LARGE || !isWhole) counted.set(object, { bytes, isWhole });
    return left;
  }

  return leftAfter;
}

/** Reads no text, and counts no less than a value takes. */
export const leftAfterRoughly = createCounter(roughSizeOfText);

/** Reads every text. */
export const leftAfter = createCounter(sizeOfText);
