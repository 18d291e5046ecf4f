import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadConfig } from '../src/config.ts';
import { describeProfile, OPEN_POINTS } from '../src/messaging/open-points.ts';

const DOCUMENT = readFileSync('docs/open-points.md', 'utf8');

test('the document has the open points, under the same titles', () => {
  const rows = [...DOCUMENT.matchAll(/^\| (\d+) \| \*\*(.+?)\*\*/gm)];
  const points = Object.entries(OPEN_POINTS).map(([number, { title }]) => [
    number,
    title,
  ]);

  expect(rows.map(([, number, title]) => [number, title])).toEqual(points);
});

test('every `Open point:` mark in the code names one of the titles', () => {
  const names = globSync('src/**/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/Open points?: (.*?)(?:[.:]|$)/gm)].map(
      ([, name]) => name,
    ),
  );
  const titles: readonly unknown[] = Object.values(OPEN_POINTS).map(({ title }) => title);

  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !titles.includes(name))).toEqual([]);
});

test('the profile shows the configured readings and the settings that change them', () => {
  const lines = describeProfile(
    loadConfig({
      PAGING: 'starting_after',
      PAGING_BACK_PARAM: 'until',
      PAGING_UNKNOWN_ID: 'first',
      MAX_LIMIT: '50',
      TIMESTAMP_UNIT: 'seconds',
      LIST_ORDER: 'oldest',
    }),
  );

  expect(lines[4]).toBe('open point 4, timestamp unit: seconds (TIMESTAMP_UNIT)');
  expect(lines[8]).toBe(
    'open point 8, pagination parameter: starting_after and until; an unknown id gets the first page (PAGING, PAGING_PARAM, PAGING_BACK_PARAM, PAGING_UNKNOWN_ID)',
  );
  expect(lines[9]).toBe(
    'open point 9, order of lists: messages the oldest first (LIST_ORDER)',
  );
  expect(lines[16]).toBe('open point 16, maximum limit: 50 (MAX_LIMIT)');
});
