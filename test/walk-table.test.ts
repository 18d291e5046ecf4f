import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { measureWalks } from './support/walks.ts';

test('what a walk costs is what the docs say', async () => {
  expect(readFileSync('docs/paging.md', 'utf8')).toContain(await measureWalks());
});
