import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };

test('npm run test:planned leaves out only tests that start no gateway of their own', () => {
  const patterns = [
    ...packageJson.scripts['test:planned'].matchAll(/--exclude '?([^' ]+)'?/g),
  ].map(([, pattern = '']) => pattern);
  const left = globSync(patterns).filter((path) => path.endsWith('.test.ts'));

  expect(left.length).toBeGreaterThan(20);
  for (const path of left) {
    const text = readFileSync(path, 'utf8');
    expect(/(?:startTestGateway|createTestGateway)\(/.test(text), path).toBe(false);
  }
});
