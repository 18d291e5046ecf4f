import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

/**
 * Reads a report of `npm audit --json`, and fails if it has a severe vulnerability of a package that the published package has in
 * its files. To npm, most of these are packages for development only.
 */

const SEVERE = ['high', 'critical'];

interface Report {
  readonly vulnerabilities: Readonly<Record<string, { readonly severity: string }>>;
}

/** The packages in the files of a build. */
function bundledIn(folder: string): string[] {
  const file = new URL(`../../dist/${folder}/licenses.md`, import.meta.url);
  const titles = readFileSync(file, 'utf8').matchAll(/^## (\S+) - /gm);
  return [...titles].map(([, name = '']) => name);
}

const { vulnerabilities }: Report = JSON.parse(await text(process.stdin));
// The library has no others than the command.
for (const folder of ['explorer', 'command']) {
  const names = bundledIn(folder);
  const found = names.filter((name) =>
    SEVERE.includes(vulnerabilities[name]?.severity ?? 'none'),
  );
  for (const name of found) process.stdout.write(`  vulnerable: ${name}\n`);
  process.stdout.write(`  ${names.length} packages in dist/${folder}\n`);
  if (names.length === 0 || found.length > 0) process.exitCode = 1;
}
