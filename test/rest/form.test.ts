import fc from 'fast-check';
import { parse, stringify } from 'qs';
import { describe, expect, test } from 'vitest';
import { encodeReactions } from '../../src/messaging/reactions.ts';
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

  test('keeps lists and objects when it is parsed', () => {
    const leaf = fc.string({ unit: 'grapheme', minLength: 1 });
    // Letters first: qs parses an object whose keys are numbers as a list.
    const name = fc.stringMatching(/^[a-z][\w .&=%+-]{0,8}$/);
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('tree'), { minLength: 1, maxLength: 4 }),
        fc.dictionary(name, tie('tree'), {
          minKeys: 1,
          maxKeys: 4,
          noNullPrototype: true,
        }),
      ),
    }));

    fc.assert(
      fc.property(tree, (attachment) => {
        const form = encodeForm({ attachments: [attachment] });

        expect(parse(form, { depth: 100, parameterLimit: 10_000 })).toEqual({
          attachments: [attachment],
        });
      }),
    );
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
