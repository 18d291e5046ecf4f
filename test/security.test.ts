import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const SECURITY = readFileSync('docs/security.md', 'utf8');

/** A test file and the names of its tests: `test/x.test.ts` "one", "two". */
const CITED = /`(test\/[\w/-]+\.test\.ts)`((?:,? "[^"]+")+)/g;

const cited = [...SECURITY.matchAll(CITED)].flatMap(([, file = '', names = '']) =>
  [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => ({ file, name })),
);

/** The names of the tests in a file, as written in its source. */
const namesIn = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(TEST)].map(
    ([, single, double]) => single?.replaceAll("\\'", "'") ?? double ?? '',
  );
/** The first argument of `test(`, or of the call that follows the table of `test.each`. */
const TEST =
  /(?:\btest\(|^ *\]\)\(|\)\)\(|\btest\.each\(.*\)\()\s*(?:'((?:[^'\\]|\\.)*)'|"([^"]*)")/gm;

test('every attack has a test', () => {
  const [, section = ''] = SECURITY.split('\n## Attacks\n');
  const attacks = section
    .slice(0, section.indexOf('\n## '))
    .split('\n')
    .filter((line) => /^\| (?!attack \|)/.test(line));

  expect(attacks.length).toBeGreaterThan(30);
  expect(attacks.filter((row) => row.search(CITED) === -1)).toEqual([]);
});

test.each(cited)('the test it names exists: $file "$name"', ({ file, name }) => {
  expect(namesIn(file)).toContain(name);
});

test('the files it names exist', () => {
  const files = [...SECURITY.matchAll(/`((?:src|test|docs|\.ci)\/[\w./-]+)`/g)].map(
    ([, file = '']) => file,
  );

  expect(files.length).toBeGreaterThan(30);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
