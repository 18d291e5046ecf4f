import fc from 'fast-check';
import { stringify } from 'qs';
import { describe, expect, test } from 'vitest';
import { encodeReactions } from '../../src/messaging/reactions.ts';
import { BadInputError } from '../../src/rest/errors.ts';
import { encodeForm } from '../../src/rest/form.ts';

/** Any JSON, with the keys and texts that a form can carry. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...`aZ09-._~!'()*+%&=;/?#@: "\\\u0000é👍`) }),
);
const key = text.filter((name) => name !== '' && !/[[\]]/.test(name));
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(text, fc.double(), fc.maxSafeInteger(), fc.boolean(), fc.constant(null)),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(key, tie('json'), { maxKeys: 4 }),
  ),
}));

/** The same value, with an empty text for each part that qs would leave out. */
function withoutGaps(value: unknown): unknown {
  if (value === null) return '';
  if (typeof value !== 'object') return value;
  if (Object.keys(value).length === 0) return '';
  if (Array.isArray(value)) return value.map(withoutGaps);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withoutGaps(inner)]),
  );
}

describe('a form', () => {
  test('is the text that qs writes', () => {
    fc.assert(
      fc.property(fc.dictionary(key, json), (fields) => {
        expect(encodeForm(fields)).toBe(
          stringify(withoutGaps(fields), { arrayFormat: 'indices' }),
        );
      }),
      { numRuns: 1000 },
    );
  });

  test('of reactions is the text that qs writes', () => {
    fc.assert(
      fc.property(fc.dictionary(key, fc.array(text), { minKeys: 1 }), (byName) => {
        const reactions = Object.entries(byName).map(([name, usernames]) => ({
          name,
          usernames,
        }));

        expect(encodeReactions(reactions)).toBe(
          stringify({ reactions: withoutGaps(byName) }, { arrayFormat: 'brackets' }),
        );
      }),
    );
  });

  const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });

  test.each([
    ['an empty key', { a: [{ '': 1 }] }],
    ['a key with [', { a: [{ '[': 1 }] }],
    ['a key with ]', { a: [{ ']': 1 }] }],
    ['a key that is not Unicode', { '\udc00': 1 }],
    ['a value that is not Unicode', '\udc00'],
    ['66 levels', deep(66)],
  ])('refuses %s', (_, field) => {
    expect(encodeForm({ field: deep(65) })).toMatch(/^field(%5Ba%5D){65}=1$/);
    expect(() => encodeForm({ field })).toThrow(BadInputError);
  });

  // security: large-forms
  test('that would be much longer than its request is refused before it is built', () => {
    const attachment = {
      ['k'.repeat(500_000)]: Array.from({ length: 200_000 }, () => 1),
    };

    expect(() => encodeForm({ attachments: [attachment] })).toThrow(
      'A form cannot be longer than',
    );
  });

  // security: short-values
  test('holds the values of half a megabyte of JSON, and refuses twice as many', () => {
    const numbers = (count: number) => Array.from({ length: count }, () => 1);

    expect(encodeForm({ attachments: numbers(262_144) }).split('&')).toHaveLength(
      262_144,
    );
    expect(() => encodeForm({ attachments: numbers(524_288) })).toThrow(
      'each value counts as 127 bytes at least',
    );
  });
});
