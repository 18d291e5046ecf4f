import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ATTACKS = readFileSync('docs/security-attacks.md', 'utf8');

/** The rows of a section's tables, without their heads. */
function rowsOf(heading: string): string[] {
  const [, section = ''] = ATTACKS.split(`\n## ${heading}\n`);
  return section
    .slice(0, section.indexOf('\n## '))
    .split('\n')
    .filter((line) => /^\| (?!name \|)/.test(line));
}

/** Before a test, or at the head of a program: `// security: forged-cursor, many-ids`. */
const TAG = /^ *\/\/ security: (.+)$/gm;

const tagged = globSync('test/**/*.ts').flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(TAG)].flatMap(([, names = '']) =>
    names.split(', '),
  ),
);

test('every attack has a test, and every tag of a test names an attack', () => {
  const names = rowsOf('Attacks').map((row) => /^\| `([a-z\d-]+)` \|/.exec(row)?.[1]);

  expect(names.length).toBeGreaterThan(30);
  expect(names).toEqual([...new Set(names)]);
  expect([...new Set(tagged)].sort()).toEqual(names.sort());
});
