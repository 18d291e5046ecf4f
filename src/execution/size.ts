/** Each name and each value counts as this much at least, because writing many short ones takes time. Unit: bytes. */
export const LEAST_BYTES = 24;
/** A control character, or half of a surrogate pair alone, is written as `\u0000`. Unit: bytes. */
const LONGEST_ESCAPE = 6;

/** An upper bound of what a text takes as JSON, without reading it: most answers are far below every limit. */
export const roughSizeOfText = ({ length }: string): number =>
  LEAST_BYTES + length * LONGEST_ESCAPE;

/** An upper bound of what a value takes as JSON; stops counting above `most`. */
export function roughSize(value: unknown, most: number): number {
  if (typeof value === 'string') return roughSizeOfText(value);
  let size = LEAST_BYTES;
  // An object of many keys takes a tenth of a second to begin, since all its keys are listed first.
  if (size > most) return size;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && size <= most; index += 1) {
      size += roughSize(value[index], most - size);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const key in value) {
      size += roughSizeOfText(key);
      if (size > most) return size;
      size += roughSize((value as Record<string, unknown>)[key], most - size);
    }
  }
  return size;
}
