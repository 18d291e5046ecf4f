import { expect, test } from 'vitest';
import { createRedactor } from '../../src/rest/redact.ts';

const SECRET = 'abc/DEF"ghi\\jkl+%41=';
const percent = (text: string) =>
  text.replace(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`);

test.each([
  [SECRET],
  ['\\u0041BCDEFG'],
  ['%41BCDEFG'],
  ['\\\\u005cBCDEFG'],
  ['ab\\'],
  ['%5Cu0041BC'],
])('a secret is removed in every encoding, also one that looks encoded: %s', (secret) => {
  const units = (text: string) =>
    text.replace(/./g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
  const redact = createRedactor(secret);

  const written = [
    secret,
    inJson(secret),
    inJson(inJson(secret)),
    encodeURIComponent(secret),
    encodeURIComponent(encodeURIComponent(secret)),
    percent(secret),
    units(secret),
    inJson(units(secret)),
    secret.replaceAll('\\', '\\u005c'),
    encodeURIComponent(inJson(secret)),
    encodeURIComponent(encodeURIComponent(percent(secret))),
  ];

  for (const text of written) {
    expect(redact(`<${text}>`), text).toMatch(
      /^<(\\|%(25)*5c)*\[redacted\](\\|\\?u005c|%(25)*5c)*>$/i,
    );
  }
});

test('a secret is removed if each of its characters is encoded in another way, in either case of letters', () => {
  const lower = (c: string) => c.charCodeAt(0).toString(16);
  const upper = (c: string) => lower(c).toUpperCase();
  const ways = [
    (c: string) => c,
    (c: string) => `%${lower(c)}`,
    (c: string) => `%25${upper(c)}`,
    (c: string) => `\\u00${upper(c)}`,
    (c: string) => `\\\\u00${lower(c)}`,
    (c: string) => `%5Cu00${upper(c)}`,
    (c: string) => `%${upper(c)}`,
  ];
  const secret = 'jKl/mNo+z-J_k.L~M=="';

  for (let first = 0; first < ways.length; first += 1) {
    const written = secret.replace(
      /./g,
      (c, at) => ways[(first + at) % ways.length]?.(c) ?? c,
    );
    expect(createRedactor(secret)(`<${written}>`)).toBe('<[redacted]>');
  }
});

test('text that is not secret stays as it is', () => {
  const text = 'abc \\u0041 %41 100% "\\\\" \\ and %zz %2';

  expect(createRedactor('secret')(text)).toBe(text);
  expect(createRedactor(null)(text)).toBe(text);
});

// security: token-in-error
test('JSON from which a secret is removed is still JSON', () => {
  const redact = createRedactor('"x"');

  expect(JSON.parse(redact(JSON.stringify({ seen: '<"x">' })))).toEqual({
    seen: '<[redacted]>',
  });
});

// security: slow-pattern
test.each([['\\'], ['%25'], ['\\u005c'], ['a\\'], ['%2']])(
  'a long text of %s is redacted in linear time',
  (part) => {
    // Quadratic time would be minutes, beyond the time limit of a test.
    for (const secret of ['secret', '\\\\\\\\', 'aaaa', '%%%%']) {
      expect(createRedactor(secret)(part.repeat(300_000))).toBeTypeOf('string');
    }
  },
);

// security: token-in-error
test.each<[string, (secret: string) => string]>([
  ['as it is', (secret) => secret],
  ['in JSON', (secret) => JSON.stringify(secret)],
  ['percent-encoded', percent],
  [
    'in escapes',
    (secret) => secret.replace(/./g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
  ],
])('no beginning of a secret is left where a text was cut: %s', (_, write) => {
  const secret = 'TOK/EN"KEY';
  const redact = createRedactor(secret);
  const before = 'x'.repeat(100);
  const text = `${before}${write(secret)} after`;

  for (let end = before.length; end < text.length; end += 1) {
    const shown = redact(text.slice(0, end), true);
    expect(shown, text.slice(0, end)).toMatch(/^x{40,100}"?(\[redacted\].*)?$/);
  }
});

test('a text that was cut loses no more than a secret may take', () => {
  const redact = createRedactor('secret');

  expect(redact(`a secret and ${'x'.repeat(40)}`, true)).toBe('a [redacted] and xxxx');
  expect(redact('100% of secre', true)).toBe('');
});

test('a text that is the secret alone is removed', () => {
  expect(createRedactor('s3cret-token')('s3cret-token')).toBe('[redacted]');
});
