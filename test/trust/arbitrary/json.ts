import fc from 'fast-check';
import { oneOf } from './one-of.ts';

/** Texts with characters that are special in a form, a query string, JSON or GraphQL. */
const TEXTS = [
  'hi',
  'a & b = c + d % e; #f ?g [h]',
  '%26%3D+%2B%',
  'line\nbreak\r\nand\ttab',
  ' ',
  '\u0000',
  '\u2028\ufeff\uffff',
  '"""\\"',
  '{"a":[1]}',
  'null',
  '👩‍👩‍👧 é',
  'long '.repeat(500),
];
/** Keys that are also valid names in a GraphQL literal. */
const NAMES = ['type', 'url', '__proto__'];
/** Keys that careless code handles wrongly. */
const KEYS = [
  'a.b',
  'a&b=c+d%5B',
  '0',
  '1',
  '00',
  'constructor',
  'toString',
  ' ',
  '\n',
  'ключ 💬',
];
const LONE_SURROGATE = 'half \ud83d';

/** Any text that a form can carry, except the empty one. */
export const text = oneOf(
  [3, fc.constantFrom(...TEXTS)],
  [3, fc.string({ unit: 'binary', minLength: 1 })],
);

/** Mostly text; sometimes a value that the service or the gateway refuses. */
export const textOrWorse = oneOf(
  [8, text],
  [2, fc.constant('')],
  [1, fc.constant(LONE_SURROGATE)],
);

/** Any name that bracket notation can carry. */
export const key = oneOf(
  [6, fc.constantFrom(...NAMES)],
  [3, fc.constantFrom(...KEYS)],
  [1, text.filter((name) => !/[[\]]/.test(name))],
);

/** A name that breaks the bracket notation. */
export const badKey = fc.constantFrom('', '[', 'a]', 'a[]', LONE_SURROGATE);

const scalar = fc.oneof(
  text,
  fc.constantFrom('', null, true, false, 0, -1, 2 ** 60),
  fc.constantFrom(0.1, 1e21, -5e-7),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** JSON of any shape: flat, nested or empty. */
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { arbitrary: scalar, weight: 3 },
    { arbitrary: fc.array(tie('json'), { maxLength: 3 }), weight: 1 },
    { arbitrary: objectOf(key, tie('json')), weight: 2 },
  ),
}));

/** Uses Object.fromEntries, which keeps a key called `__proto__`. */
function objectOf(name: fc.Arbitrary<string>, value: fc.Arbitrary<unknown>) {
  return fc
    .uniqueArray(fc.tuple(name, value), { selector: ([each]) => each, maxLength: 3 })
    .map((entries): object => Object.fromEntries(entries));
}

/** An attachment: any JSON except null. */
export const attachment = oneOf(
  [3, objectOf(key, json)],
  [2, json.filter((value) => value !== null)],
  [1, fc.integer({ min: 60, max: 64 }).map(nested)],
);

/** An attachment that no form can carry: a bad key, a lone surrogate, or too many levels. */
export const badAttachment = fc.oneof(
  objectOf(badKey, json).filter((value) => Object.keys(value).length > 0),
  badKey.map((name) => [{ a: { [name]: 1 } }]),
  fc.constant({ a: [LONE_SURROGATE] }),
  fc.integer({ min: 65, max: 70 }).map(nested),
);

/** A value inside this many nested lists and objects. */
function nested(levels: number): unknown {
  let value: unknown = 'core';
  for (let level = 0; level < levels; level += 1) {
    value = level % 3 === 0 ? [value] : { a: value };
  }
  return value;
}
