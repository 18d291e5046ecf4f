import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as library from '../../src/gateway.ts';
import { NOWHERE } from '../support/http.ts';
import { createTestGateway } from './support.ts';

const DOCUMENT = readFileSync('docs/library.md', 'utf8');

/** The first words of the rows below a heading of a table, without brackets. */
function rowsBelow(heading: string): string[] {
  const [, table = ''] = DOCUMENT.split(`| ${heading} |`);
  const [rows = ''] = table.split('\n\n');
  return [...rows.matchAll(/^\| `(\w+)/gm)].map(([, name = '']) => name).toSorted();
}

test('docs/library.md names every function of the library', () => {
  const names = Object.keys(library).filter((name) => name !== 'ConfigError');

  expect(rowsBelow('Function')).toEqual(names.toSorted());
});

test('docs/library.md names every member of a gateway', async () => {
  await using gateway = await createTestGateway(NOWHERE);

  expect(rowsBelow('Member')).toEqual(Object.keys(gateway).toSorted());
});

/** For the command and its workers. */
const INTERNAL = ['peers', 'manifest', 'shownSettings', 'startIsLogged'];

test('docs/library.md names every option beside the settings', () => {
  const source = readFileSync('src/gateway/settings.ts', 'utf8');
  const [, list = ''] = /const OTHERS = \[([^\]]*)\]/.exec(source) ?? [];
  const names = [...list.matchAll(/'(\w+)'/g)].map(([, name = '']) => name);

  expect(rowsBelow('Option')).toEqual(
    names.filter((name) => !INTERNAL.includes(name)).toSorted(),
  );
});
