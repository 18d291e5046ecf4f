import { randomBytes, randomInt } from 'node:crypto';

/** Ids shorter than this also become longer, because most ids of their length may exist. */
const SHORT = 8;
/** Only this many characters at the end change, because a prefix often names the kind of object. */
const CHANGED = 10;
const MIN_DIGITS = 9;
const KINDS = [/[a-z]/g, /[A-Z]/g];

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

/** Replaces digits with digits, and letters with those beside them, so that its alphabet stays the same. */
function disguise(model: string): string {
  let tail = model.slice(-CHANGED).replace(/\d/g, () => randomDigits(1));
  for (const kind of KINDS) {
    const own = tail.match(kind) ?? [];
    tail = tail.replace(kind, () => own[randomInt(own.length)] ?? '');
  }
  const id = model.slice(0, -CHANGED) + tail;
  return id === model || model.length < SHORT ? id + randomDigits(6) : id;
}

const randomDigits = (count: number): string =>
  Array.from({ length: count }, () => randomInt(10)).join('');
