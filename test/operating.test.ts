import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startTestGateway } from './support/gateway.ts';
import { startUpstream } from './support/upstream.ts';

const DOCUMENT = readFileSync('docs/operating.md', 'utf8');

test('docs/operating.md names every metric', async () => {
  await using upstream = await startUpstream({});
  await using gateway = await startTestGateway(upstream.url, {
    REDIS_URL: 'redis://127.0.0.1:1',
  });

  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  const metrics = [...text.matchAll(/^# TYPE (gateway_\w+)/gm)].map(([, name]) => name);
  const rows = [...DOCUMENT.matchAll(/^\| (`gateway_.*?) \|/gm)].flatMap(
    ([, names]) => names?.match(/gateway_\w+/g) ?? [],
  );

  expect(metrics.length).toBeGreaterThan(5);
  expect(rows.toSorted()).toEqual(metrics.toSorted());
});
