import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { describeProfile } from '../../src/probe/assumptions.ts';
import { run } from '../support/command.ts';

test('the profile has a line for each of the nineteen open points, and so have the docs', () => {
  const lines = describeProfile(loadConfig({}));
  const rows = [
    ...readFileSync('docs/open-points.md', 'utf8').matchAll(/^\| (\d+) \|/gm),
  ];

  expect(lines.map((line) => Number(/\d+/.exec(line)?.[0]))).toEqual(
    Array.from({ length: 19 }, (_, index) => index + 1),
  );
  expect(rows.map(([, point]) => Number(point))).toEqual(
    lines.map((_line, index) => index + 1),
  );
});

test('it says what is configured, and how to change it', () => {
  const lines = describeProfile(
    loadConfig({
      PAGING: 'starting_after',
      PAGING_BACK_PARAM: 'until',
      PAGING_UNKNOWN_ID: 'first',
      MAX_LIMIT: '50',
      TIMESTAMP_UNIT: 'seconds',
    }),
  );

  expect(lines[3]).toBe('open point 4, timestamp unit: seconds (TIMESTAMP_UNIT)');
  expect(lines[7]).toBe(
    'open point 8, parameter of the next page: starting_after and until; an unknown id is answered with the first page (PAGING, PAGING_PARAM, PAGING_BACK_PARAM, PAGING_UNKNOWN_ID)',
  );
  expect(lines[15]).toBe('open point 16, maximum limit: 50 (MAX_LIMIT)');
});

test('--profile prints it behind the address', async () => {
  await using gateway = run(['bin/messaging-graphql.js', '--profile'], {
    MESSAGING_URL: 'http://127.0.0.1:1',
  });
  expect(await gateway.first()).toMatch(/^messaging-graphql listens on /);

  await expect.poll(() => gateway.lines.length).toBe(20);
  expect(gateway.lines.slice(1)).toEqual(describeProfile(loadConfig({})));
});
