import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { negotiate } from './compression.ts';
import type { Answer } from './exchange.ts';
import { HEADERS } from './headers.ts';

/** Made by `npm run build:explorer`. The same path from src/http/ and from dist/http/. */
const FOLDER = join(import.meta.dirname, '../../dist/explorer');
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ttf': 'font/ttf',
};
/** The file that the page names. The names of all others change with their content. */
const FIRST_FILE = 'start.js';

const compress = promisify(gzip);

/** The answer with a file of the explorer, by its name; null if there is none. */
export type ExplorerFiles = (name: string, accepted?: string) => Promise<Answer> | null;

/**
 * The files of the explorer. Each is read once in either encoding and kept, 9 MB for all of them, so that requests cost no
 * memory of their own. Null: they were not built.
 */
export async function loadExplorerFiles(): Promise<ExplorerFiles | null> {
  const names = (await filesIn(FOLDER)).filter((name) => extname(name) in TYPES);
  if (names.length === 0) return null;
  const files = new Map(names.map((name) => [name, createFile(join(FOLDER, name))]));
  return (name, accepted = '') => {
    const file = files.get(name);
    const isZipped = negotiate(accepted, [{ name: 'gzip' }]) !== null;
    return file === undefined ? null : toAnswer(name, file, isZipped);
  };
}

async function toAnswer(
  name: string,
  file: (isZipped: boolean) => Promise<Buffer>,
  isZipped: boolean,
): Promise<Answer> {
  const headers: [string, string][] = [
    ['content-type', TYPES[extname(name)] ?? ''],
    ['vary', 'accept-encoding'],
  ];
  if (isZipped) headers.push(['content-encoding', 'gzip']);
  return {
    status: 200,
    headers,
    body: await file(isZipped),
    common: { ...HEADERS, ...toFileHeaders(name) },
  };
}

/** No files if there is no folder. */
async function filesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Reads the file at `path` when it is first wanted as it is, or compressed. */
function createFile(path: string): (isZipped: boolean) => Promise<Buffer> {
  const kept = new Map<boolean, Promise<Buffer>>();
  const load = async (isZipped: boolean) => {
    const bytes = await readFile(path);
    return isZipped ? compress(bytes) : bytes;
  };
  return (isZipped) => {
    const loading = kept.get(isZipped) ?? load(isZipped);
    kept.set(isZipped, loading);
    // A file that could not be read is tried again.
    loading.catch(() => kept.delete(isZipped));
    return loading;
  };
}

/** They replace headers of every answer. A worker has the policy of its own file, and not that of its page. */
const toFileHeaders = (name: string): Record<string, string> => ({
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control':
    name === FIRST_FILE ? 'no-store' : 'public, max-age=31536000, immutable',
});
