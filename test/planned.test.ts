import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };

/**
 * Random walks, which take minutes: whichever way executes their operations, the pages are the same. The other tests of
 * paging go both ways.
 */
const WALKS = /^test\/paging\/(auto|beside-the-cursor|random|without-id)\.test\.ts$/;

test('npm run test:planned leaves out only walks, and tests that start no gateway of their own', () => {
  const patterns = [
    ...packageJson.scripts['test:planned'].matchAll(/--exclude '?([^' ]+)'?/g),
  ].map(([, pattern = '']) => pattern);
  const left = globSync(patterns).filter((path) => path.endsWith('.test.ts'));

  expect(left.length).toBeGreaterThan(20);
  for (const path of left.filter((one) => !WALKS.test(one))) {
    const text = readFileSync(path, 'utf8');
    expect(/(?:startTestGateway|createTestGateway)\(/.test(text), path).toBe(false);
  }
});
