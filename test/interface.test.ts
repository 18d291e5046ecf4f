import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

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

test('the gaps have the numbers of the open points', () => {
  const numbers = (text: string) =>
    [...text.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number));

  const gaps = numbers(INTERFACE);

  expect(gaps).toEqual(Array.from({ length: 19 }, (_gap, index) => index + 1));
  expect(numbers(readFileSync('docs/open-points.md', 'utf8'))).toEqual(gaps);
});
