import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { negotiate } from './compression.ts';
import type { Answer } from './exchange.ts';
import { HEADERS } from './headers.ts';

/** Made by `npm run build:explorer`. The same path from src/http/, dist/command/ and dist/library/. */
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
  const kept = new Map<string, Promise<Buffer>>();

  /** Reads a file when it is first wanted as it is, or compressed. */
  function load(name: string, isZipped: boolean): Promise<Buffer> {
    const key = `${name} ${isZipped}`;
    const loading = kept.get(key) ?? read(name, isZipped);
    kept.set(key, loading);
    // A file that could not be read is tried again.
    loading.catch(() => kept.delete(key));
    return loading;
  }

  async function toAnswer(name: string, isZipped: boolean): Promise<Answer> {
    return {
      status: 200,
      headers: [
        ['content-type', TYPES[extname(name)] ?? ''],
        ['vary', 'accept-encoding'],
        ...(isZipped ? ([['content-encoding', 'gzip']] as const) : []),
      ],
      body: await load(name, isZipped),
      common: { ...HEADERS, ...toFileHeaders(name) },
    };
  }

  return (name, accepted = '') =>
    names.includes(name)
      ? toAnswer(name, negotiate(accepted, [{ name: 'gzip' }]) !== null)
      : null;
}

async function read(name: string, isZipped: boolean): Promise<Buffer> {
  const bytes = await readFile(join(FOLDER, name));
  return isZipped ? compress(bytes) : bytes;
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

/** They replace headers of every answer. A worker has the policy of its own file, and not that of its page. */
const toFileHeaders = (name: string): Record<string, string> => ({
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control':
    name === FIRST_FILE ? 'no-store' : 'public, max-age=31536000, immutable',
});
