import { randomBytes, randomInt } from 'node:crypto';

/** Shorter ids are not only changed but made longer: too few of that shape are free. */
const SHORT = 8;
/** So many characters at the end of an id are changed; what stands before them often names the kind. */
const CHANGED = 10;
const LONGEST_NUMBER = 9;

/**
 * An id that looks like the known ones and is none of them: a service may refuse an id of another shape for its
 * shape alone. Without known ids it has a shape of our own.
 */
export function strangerTo(known: readonly string[]): string {
  const model = known.find((id) => id !== '');
  if (model === undefined) return `unknown-${randomBytes(8).toString('hex')}`;
  for (;;) {
    const id = /^\d+$/.test(model) ? largeNumber(model.length) : disguise(model);
    if (!known.includes(id)) return id;
  }
}

/** Numbers are given in order: a large one is not given yet. */
const largeNumber = (length: number): string =>
  `9${randomDigits(Math.max(length, LONGEST_NUMBER) - 1)}`;

/** Other digits for digits, and for letters others that the id has, so that its alphabet stays the same. */
function disguise(model: string): string {
  const head = model.slice(0, -CHANGED);
  const tail = model.slice(-CHANGED);
  const lower = pool(tail, /[a-z]/g, 'abcdef');
  const upper = pool(tail, /[A-Z]/g, 'ABCDEF');
  const changed = Array.from(tail, (character) => {
    if (/\d/.test(character)) return randomDigits(1);
    if (/[a-z]/.test(character)) return pick(lower);
    return /[A-Z]/.test(character) ? pick(upper) : character;
  });
  const id = head + changed.join('');
  return id === model || model.length < SHORT ? id + randomDigits(6) : id;
}

const pool = (text: string, kind: RegExp, otherwise: string): string => {
  const found = text.match(kind)?.join('') ?? '';
  return new Set(found).size > 1 ? found : otherwise;
};

const pick = (letters: string): string => letters[randomInt(letters.length)] ?? '';

const randomDigits = (count: number): string =>
  Array.from({ length: count }, () => randomInt(10)).join('');
