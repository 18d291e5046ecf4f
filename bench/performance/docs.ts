/** Writes figures into docs/performance.md, between the two comments that mark their section. */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Table, toMarkdown } from './tables.ts';

const DOCS = new URL('../../docs/', import.meta.url);
const FILE = new URL('performance.md', DOCS);

export const startOf = (section: string): string => `<!-- figures: ${section} -->`;
export const endOf = (section: string): string => `<!-- end of ${section} -->`;

/** The document with new content in a section. Throws if the section is not there. */
export function replaceSection(
  document: string,
  section: string,
  content: string,
): string {
  const from = document.indexOf(startOf(section));
  const to = document.indexOf(endOf(section), from);
  if (from === -1 || to === -1) throw new Error(`there is no section "${section}"`);
  return `${document.slice(0, from)}${startOf(section)}\n\n${content.trim()}\n\n${document.slice(to)}`;
}

/** Writes tables, below a line with the machine and `facts`; returns the file's path. */
export function writeTables(
  section: string,
  tables: readonly Table[],
  facts = '',
): string {
  const machine = `Node ${process.version}, ${cpus().length} cores${facts}.`;
  const content = [machine, ...tables.map(toMarkdown)].join('\n\n');
  writeFileSync(FILE, replaceSection(readFileSync(FILE, 'utf8'), section, content));
  return fileURLToPath(FILE);
}

export function writeChart(name: string, svg: string): void {
  writeFileSync(new URL(`${name}.svg`, DOCS), svg);
}
