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

/** Each takes about a microsecond, so more of them would block the process. A body of 1 MiB holds fewer of 17 digits. */
export const MAX_UNUSUAL_NUMBERS = 60_000;

/**
 * A number that JavaScript may write differently: 16 digits, an exponent, a zero at the end of a fraction, a very small
 * fraction, or minus zero. Each is followed by what ends a value, so that `{1e5: 0}` does not become valid.
 */
const UNUSUAL_NUMBER = new RegExp(
  String.raw`([:,[]\s*)(-0(?=\s*[,\]}])|-?` +
    String.raw`(?=9\d{15}|[\d.]{17}|[\d.]{1,16}[eE]|\d{1,15}\.\d{0,15}0(?!\d)|0\.0{6})` +
    String.raw`(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=\s*[,\]}])`,
  'g',
);

/** While JSON is parsed, a text that begins with this replaces the number. No client and no service can guess it. */
const MARK = randomBytes(12).toString('base64');

/**
 * Creates a parser of JSON that keeps the text of numbers which a double would change, as `JSON.rawJSON`. A reviver could
 * do the same, but takes five times as long as the parsing for every text, and a third of a second for some of 1 MiB. So
 * the few such numbers are marked in the text, and a text without any is parsed as usual.
 */
export function createExactParser({
  inside,
  keepsText,
}: ExactOptions): (text: string) => unknown {
  const holdsField = new RegExp(String.raw`"${inside}"\s*:\s*[[{]\s*[^\s\]}]`);
  return (text) => {
    if (!holdsField.test(text) || text.search(UNUSUAL_NUMBER) === -1) {
      return JSON.parse(text);
    }
    const marked = markNumbers(text, keepsText);
    const json: unknown = JSON.parse(marked);
    return marked === text ? json : restoreNumbers(json, inside);
  };
}

/** Replaces each number that keeps its text by a marked text; throws RangeError if there are too many. */
function markNumbers(text: string, keepsText: ExactOptions['keepsText']): string {
  const parts: string[] = [];
  const endOfString = createStringFinder(text);
  let count = 0;
  let done = 0;
  UNUSUAL_NUMBER.lastIndex = 0;
  for (;;) {
    const found = UNUSUAL_NUMBER.exec(text);
    if (found === null) break;
    const end = endOfString(found.index);
    if (end !== null) {
      UNUSUAL_NUMBER.lastIndex = end;
      continue;
    }
    const [, lead = '', source = ''] = found;
    if (source === String(Number(source)) || !keepsText(source)) continue;
    if (count === MAX_UNUSUAL_NUMBERS) {
      if (isKeptByDouble(source)) continue;
      throw new RangeError(`more than ${MAX_UNUSUAL_NUMBERS} numbers of many digits`);
    }
    count += 1;
    const start = found.index + lead.length;
    parts.push(text.slice(done, start), `"${MARK}${source}"`);
    done = start + source.length;
  }
  return parts.join('') + text.slice(done);
}

/** Returns a function that gives the end of the string of JSON around a position; null outside. Positions must ascend. */
function createStringFinder(text: string): (position: number) => number | null {
  let begin = text.indexOf('"');
  let end = -1;
  return (position) => {
    while (begin !== -1 && begin < position) {
      if (end < begin) end = findClosingQuote(text, begin);
      if (end > position) return end;
      begin = text.indexOf('"', end + 1);
    }
    return null;
  };
}

/** The end of the text if the string is never closed. */
function findClosingQuote(text: string, begin: number): number {
  for (let at = text.indexOf('"', begin + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charAt(at - 1 - backslashes) === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

/** A list or an object that is still to be searched for marks. */
interface Branch {
  readonly values: Record<string, unknown> | unknown[];
  readonly isExact: boolean;
}

/** Turns marks into numbers again: with their text inside the named fields, and into plain numbers elsewhere. */
function restoreNumbers(json: unknown, inside: string): unknown {
  const branches: Branch[] = [];
  const restore = (value: unknown, isExact: boolean, isInside: boolean): unknown => {
    if (typeof value === 'string' && value.startsWith(MARK)) {
      const source = value.slice(MARK.length);
      return isExact ? rawJSON(source) : Number(source);
    }
    if (typeof value === 'object' && value !== null) {
      branches.push({ values: value as Branch['values'], isExact: isInside });
    }
    return value;
  };
  const root = restore(json, false, false);
  // A recursion would overflow the stack.
  for (let branch = branches.pop(); branch !== undefined; branch = branches.pop()) {
    const { values, isExact } = branch;
    if (Array.isArray(values)) {
      for (let index = 0; index < values.length; index += 1) {
        values[index] = restore(values[index], isExact, isExact);
      }
    } else {
      for (const key of Object.keys(values)) {
        values[key] = restore(values[key], isExact, isExact || key === inside);
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
