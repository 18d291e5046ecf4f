import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { measurePolls } from '../../bench/live.ts';

test('what a poll costs is what the docs say', async () => {
  expect(readFileSync('docs/live.md', 'utf8')).toContain(await measurePolls());
});
