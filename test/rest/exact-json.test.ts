import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createExactParser, isKeptByDouble } from '../../src/rest/exact-json.ts';
import { parseRaw } from '../support/raw-json.ts';

const { parse } = createExactParser({ inside: 'a', keepsText: () => true });
const { parse: parseValues } = createExactParser({
  inside: 'a',
  keepsText: (source) => !isKeptByDouble(source),
});

/** A number in any way that JSON allows. */
const number = fc.stringMatching(
  /^-?(0|[1-9]\d{0,25})(\.\d{1,25})?([eE][+-]?\d{1,4})?$/,
  { size: 'max' },
);
const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
/** Strings with what could be mistaken for a number, or for the end of a string. */
const string = fc
  .string({ unit: fc.constantFrom(...',:[]{}"\\ 1e5.0-'), maxLength: 30 })
  .map((text) => JSON.stringify(text));

/** A text of JSON whose numbers are written in any way. */
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(number, string, fc.constantFrom('null', 'true')),
    fc
      .tuple(fc.array(tie('json'), { maxLength: 4 }), space)
      .map(([items, gap]) => `[${gap}${items.join(`${gap},${gap}`)}${gap}]`),
    fc
      .tuple(fc.array(fc.tuple(string, tie('json')), { maxLength: 4 }), space)
      .map(
        ([fields, gap]) =>
          `{${fields.map(([name, value]) => `${gap}${name}${gap}:${gap}${value}${gap}`)}}`,
      ),
  ),
}));

/** The same text without spaces between its parts, and with each key once. */
const compact = (text: string): string => JSON.stringify(parseRaw(text));

// security: altered-number
test.each([
  ['short', ''],
  ['long', 'x'.repeat(70_000)],
])('every number in the field stays as written: a %s text', (_, filling) => {
  fc.assert(
    fc.property(json, (value) => {
      const text = `{"x":${value},"a":[${value}],"filling":"${filling}"}`;

      const parsed = parse(text) as { x: unknown };

      expect(JSON.stringify({ a: (parsed as { a?: unknown }).a })).toBe(
        compact(`{"a":[${value}]}`),
      );
      expect(parsed.x).toEqual(JSON.parse(text).x);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['a number that a double keeps', '[1.50,1e3,-0.0,1700000000123456,0.0]', true],
  ['an integer above 2^53-1', '[9007199254740993]', false],
  ['a decimal of many digits', '[1.0000000000000000001]', false],
  ['a decimal that is too small', '[1e-400]', false],
])('a parser that keeps values leaves numbers alone: %s', (_, list, isPlain) => {
  const { a } = parseValues(`{"a":${list}}`) as { a: unknown[] };

  expect(a.every((value) => typeof value === 'number')).toBe(isPlain);
});

describe('a text that is not JSON', () => {
  test.each([
    ['{"a":[1e5 2]}'],
    ['{"a":[1],1e5:1}'],
    ['{"a":[01e5]}'],
    ['{"a":[1e5,]}'],
    ['{"a":[1e5'],
    ['{"a":[1.50,"x]}'],
    ['{"a":[1e5]x}'],
  ])('is refused: %s', (text) => {
    expect(() => parse(text)).toThrow(SyntaxError);
  });
});

/** A text of 1 MiB that repeats a part, with a number that keeps its text at its end. */
const long = (part: string, end = '1e1]}') =>
  `{"a":[${part.repeat(Math.floor(2 ** 20 / part.length))}${end}`;

// security: slow-pattern
test.each([
  ['numbers that keep their text', long('1e1,')],
  ['numbers of many digits', long('12345678901234567890,')],
  ['lists', long('[],')],
  ['a string of numbers', `{"b":"${',1e1'.repeat(250_000)}","a":[1e1]}`],
  ['a string of backslashes', `{"b":"${'\\\\'.repeat(500_000)}","a":[1e1]}`],
  ['a string of quotes', `{"b":"${'\\"'.repeat(500_000)}","a":[1e1]}`],
  ['one number', `{"a":[1${'0'.repeat(2 ** 20)}]}`],
  ['nested lists', `{"a":${'['.repeat(400_000)}1e1${']'.repeat(400_000)}}`],
])('a long text is parsed in linear time: %s', (_, text) => {
  // Quadratic time would be minutes, beyond the time limit of a test.
  expect(parse(text)).toBeTypeOf('object');
});

// security: altered-number
test('more numbers than can be kept in a short time are refused, unless their values stay the same', () => {
  const list = (number: string) => `{"a":[${Array(60_001).fill(number).join(',')}]}`;

  expect(() => parse(list('1e999'))).toThrow('more than 60000 numbers');
  expect(() => parse(list('1e1'))).not.toThrow();
});
