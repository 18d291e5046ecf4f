import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OPEN_POINTS, type Point } from '../src/messaging/open-points.ts';

const INTERFACE = readFileSync('docs/interface.md', 'utf8');

const headings = [...INTERFACE.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading);

/** `Source: Endpoints, "Messages".` cites two headings of the interface; public specifications are no part of it. */
const CITATION = /Source: (?!RFC|GraphQL over HTTP)([^.;*\n]+)/g;

const citations = globSync('src/**/*.ts').flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(CITATION)].map(([, sections = '']) => ({
    file,
    sections: sections.split(',').map((section) => section.replaceAll('"', '').trim()),
  })),
);

test('the sources that comments cite are sections of the interface', () => {
  const unknown = citations.filter(
    ({ sections }) => !sections.every((section) => headings.includes(section)),
  );

  expect(citations.length).toBeGreaterThan(20);
  expect(unknown).toEqual([]);
});

test('names open points by the numbers that they have there', () => {
  const named = [...INTERFACE.matchAll(/open point (\d+)/g)].map(([, number]) => number);
  const open = Object.entries<Point>(OPEN_POINTS)
    .filter(([, { reading }]) => reading !== 'settled by the interface')
    .map(([number]) => number);

  expect(new Set(named)).toEqual(new Set(open));
});
