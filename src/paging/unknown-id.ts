import { randomBytes, randomInt } from 'node:crypto';

/** Ids shorter than this also become longer, because most ids of their length may exist. */
const SHORT = 8;
/** Only this many characters at the end change, because a prefix often names the kind of object. */
const CHANGED = 10;
const MIN_DIGITS = 9;

/**
 * Creates an id that does not exist, in the form of the known ids: a service may refuse another form before it looks the
 * id up. Without known ids, it has a form of our own.
 */
export function createUnknownId(known: readonly string[]): string {
  const model = known.find((id) => id !== '');
  if (model === undefined) return `unknown-${randomBytes(8).toString('hex')}`;
  for (;;) {
    const id = /^\d+$/.test(model) ? largeNumber(model.length) : disguise(model);
    if (!known.includes(id)) return id;
  }
}

/** Services assign numbers in order, so a large one is not assigned yet. */
const largeNumber = (length: number): string =>
  `9${randomDigits(Math.max(length, MIN_DIGITS) - 1)}`;

/** Replaces digits with digits, and letters with other letters of the id, so that its alphabet stays the same. */
function disguise(model: string): string {
  const head = model.slice(0, -CHANGED);
  const tail = model.slice(-CHANGED);
  const lower = lettersOf(tail, /[a-z]/g, 'abcdef');
  const upper = lettersOf(tail, /[A-Z]/g, 'ABCDEF');
  const changed = Array.from(tail, (character) => {
    if (/\d/.test(character)) return randomDigits(1);
    if (/[a-z]/.test(character)) return pick(lower);
    return /[A-Z]/.test(character) ? pick(upper) : character;
  });
  const id = head + changed.join('');
  return id === model || model.length < SHORT ? id + randomDigits(6) : id;
}

/** The letters of a kind in the text, or `fallback` if it has fewer than two. */
function lettersOf(text: string, kind: RegExp, fallback: string): string {
  const found = text.match(kind)?.join('') ?? '';
  return new Set(found).size > 1 ? found : fallback;
}

const pick = (letters: string): string => letters[randomInt(letters.length)] ?? '';

const randomDigits = (count: number): string =>
  Array.from({ length: count }, () => randomInt(10)).join('');
