import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../src/operation/errors.ts';

test('docs/errors.md explains every error code, and no other', () => {
  const rows = readFileSync('docs/errors.md', 'utf8').matchAll(/^\| `([A-Z_]+)` \|/gm);

  expect([...rows].map(([, code]) => code).sort()).toEqual([...ERROR_CODES].sort());
});
