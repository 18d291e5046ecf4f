import { randomBytes } from 'node:crypto';

/** A number as it was written. `JSON.stringify` writes it so again. TypeScript's library does not have it yet. */
interface RawJson {
  readonly rawJSON: string;
}
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
};
export const isRawNumber = isRawJSON;

interface ExactOptions {
  /** Numbers keep their text only somewhere inside the fields of this name. */
  readonly inside: string;
  /** Whether a number keeps its text, if JavaScript would write it differently. */
  readonly keepsText: (source: string) => boolean;
}

/** Each takes about a microsecond, so more would block the process. 1 MiB cannot hold this many of 17 digits. */
export const MAX_UNUSUAL_NUMBERS = 60_000;

/**
 * A number that JavaScript may write differently: 16 digits, an exponent, a zero at the end of a fraction, a very small
 * fraction, or minus zero. Each is followed by what ends a value, so that `{1e5: 0}` does not become valid. Short integers,
 * which most numbers are, are left out first: the other conditions read a number several times.
 */
const UNUSUAL_NUMBER = new RegExp(
  String.raw`([:,[]\s*)(?!-?[1-9]\d{0,14}[,\]}])(-0(?=\s*[,\]}])|-?` +
    String.raw`(?=9\d{15}|[\d.]{17}|[\d.]{1,16}[eE]|\d{1,15}\.\d{0,15}0(?!\d)|0\.0{6})` +
    String.raw`(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=\s*[,\]}])`,
  'g',
);

/** While JSON is parsed, a text that begins with this replaces the number. No client and no service can guess it. */
const MARK = randomBytes(12).toString('base64');

/**
 * Creates a JSON parser that keeps the text of some numbers, as `JSON.rawJSON`. It first marks the few such numbers in the
 * text; a text without any is parsed as usual. A reviver would take five times as long as parsing, and a third of a second for
 * some texts of 1 MiB.
 */
export function createExactParser({ inside, keepsText }: ExactOptions) {
  const holdsField = new RegExp(String.raw`"${inside}"\s*:\s*[[{]\s*[^\s\]}]`);
  const mayHoldSome = (text: string) =>
    holdsField.test(text) &&
    (text.length > MAX_SEARCHED || text.search(UNUSUAL_NUMBER) !== -1);
  /** The first of three steps, for long texts, each of which takes time: marks such numbers; null if there are none. */
  const mark = (text: string) =>
    mayHoldSome(text) ? markNumbers(text, keepsText) : null;
  /** The last step, after `JSON.parse` of the marked text. */
  const restore = (json: unknown) => restoreNumbers(json, inside);
  return {
    parse(text: string): unknown {
      const marked = mark(text);
      return marked === null ? JSON.parse(text) : restore(JSON.parse(marked));
    },
    mark,
    restore,
  };
}

/**
 * A longer text is not searched as a whole, but between its strings: a string of 16 MB that only looks like numbers takes
 * half a second to search. Unit: characters.
 */
const MAX_SEARCHED = 65_536;
/** The shortest text between two strings that can hold an unusual number: `:-0}`. */
const SHORTEST_GAP = 4;

/** Replaces each number that keeps its text by a marked text; throws RangeError if there are too many. Null: there are none. */
function markNumbers(text: string, keepsText: ExactOptions['keepsText']): string | null {
  const parts: string[] = [];
  let count = 0;
  let done = 0;

  /** Marks the numbers between two strings. */
  function markBetween(start: number, end: number): void {
    const gap = text.slice(start, end);
    UNUSUAL_NUMBER.lastIndex = 0;
    for (let found = UNUSUAL_NUMBER.exec(gap); found; found = UNUSUAL_NUMBER.exec(gap)) {
      const [, lead = '', source = ''] = found;
      if (source === String(Number(source)) || !keepsText(source)) continue;
      if (count === MAX_UNUSUAL_NUMBERS) {
        if (isKeptByDouble(source)) continue;
        throw new RangeError(`more than ${MAX_UNUSUAL_NUMBERS} numbers of many digits`);
      }
      count += 1;
      const at = start + found.index + lead.length;
      parts.push(text.slice(done, at), `"${MARK}${source}"`);
      done = at + source.length;
    }
  }

  for (let start = 0; start < text.length; ) {
    const quote = text.indexOf('"', start);
    const end = quote === -1 ? text.length : quote;
    if (end - start >= SHORTEST_GAP) markBetween(start, end);
    start = afterString(text, end);
  }
  if (count === 0) return null;
  parts.push(text.slice(done));
  return parts.join('');
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The place behind the string of JSON that begins here; the end of the text if it is never closed. */
function afterString(text: string, begin: number): number {
  for (let at = begin + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}

/** A list or an object that is still to be searched for marks. */
interface Unsearched {
  readonly values: Record<string, unknown> | unknown[];
  readonly isExact: boolean;
}

/** Turns marks into numbers again: with their text inside the named fields, and into plain numbers elsewhere. */
function restoreNumbers(json: unknown, inside: string): unknown {
  const unsearched: Unsearched[] = [];
  const restore = (value: unknown, isExact: boolean, isInside: boolean): unknown => {
    if (typeof value === 'string' && value.startsWith(MARK)) {
      const source = value.slice(MARK.length);
      return isExact ? rawJSON(source) : Number(source);
    }
    if (typeof value === 'object' && value !== null) {
      unsearched.push({ values: value as Unsearched['values'], isExact: isInside });
    }
    return value;
  };
  const root = restore(json, false, false);
  // A recursion would overflow the stack.
  for (let next = unsearched.pop(); next !== undefined; next = unsearched.pop()) {
    const { values, isExact } = next;
    if (Array.isArray(values)) {
      for (let index = 0; index < values.length; index += 1) {
        const value = restore(values[index], isExact, isExact);
        if (value !== values[index]) values[index] = value;
      }
    } else {
      // A value that has not changed is not written again: for an object of many keys, that would take a tenth of a second.
      for (const key of Object.keys(values)) {
        const value = restore(values[key], isExact, isExact || key === inside);
        if (value !== values[key]) values[key] = value;
      }
    }
  }
  return root;
}

/** A decimal with this many digits survives being a double, except at the ends of the range. */
const SAFE_DIGITS = 15;
const LARGEST_SAFE = 1e300;

/** Whether a double keeps the exact value of a number. */
export function isKeptByDouble(source: string): boolean {
  const value = Number(source);
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value);
  const digits = source.replace(/e.*/i, '').replace(/\D/g, '');
  if (!/[1-9]/.test(digits)) return true;
  const size = Math.abs(value);
  return digits.length <= SAFE_DIGITS && size < LARGEST_SAFE && size > 1 / LARGEST_SAFE;
}
