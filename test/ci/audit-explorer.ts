import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

/**
 * Reads a report of `npm audit --json`, and fails if it has a severe vulnerability of a package that is in the files of the
 * explorer. To npm, these are packages for development only, although the built files hold them.
 */

const LICENSES = new URL('../../dist/explorer/licenses.md', import.meta.url);
const SEVERE = ['high', 'critical'];

interface Report {
  readonly vulnerabilities: Readonly<Record<string, { readonly severity: string }>>;
}

const bundled = [...readFileSync(LICENSES, 'utf8').matchAll(/^## (\S+) - /gm)].map(
  ([, name = '']) => name,
);
const { vulnerabilities }: Report = JSON.parse(await text(process.stdin));
const found = bundled.filter((name) =>
  SEVERE.includes(vulnerabilities[name]?.severity ?? 'none'),
);
for (const name of found) process.stdout.write(`  vulnerable: ${name}\n`);
process.stdout.write(`  ${bundled.length} packages in the explorer's files\n`);
if (bundled.length === 0 || found.length > 0) process.exitCode = 1;
