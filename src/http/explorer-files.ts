import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import Negotiator from 'negotiator';

/** Made by `npm run build:explorer`. The same path from src/http/ and from dist/http/. */
const FOLDER = join(import.meta.dirname, '../../dist/explorer');
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ttf': 'font/ttf',
};
/** The file that the page names. The names of all others change with their content. */
const FIRST_FILE = 'start.js';

const ENCODINGS = ['gzip', 'identity'] as const;
type Encoding = (typeof ENCODINGS)[number];
const compress = promisify(gzip);

/**
 * Serves the files of the explorer. Each is read once in either encoding and kept, 9 MB for all of them, so that requests
 * cost no memory of their own. Returns how many files there are: none, if they were not built.
 */
export async function addExplorerFiles(app: FastifyInstance): Promise<number> {
  const names = (await filesIn(FOLDER)).filter((name) => extname(name) in TYPES);
  const files = new Map(names.map((name) => [name, createFile(join(FOLDER, name))]));
  // Next to /graphql and to /graphql/, because the page names its script by a relative address.
  for (const url of ['/explorer/:name', '/graphql/explorer/:name']) {
    app.get<{ Params: { name: string } }>(
      url,
      {
        // After the hook that sets the headers of every answer.
        onSend({ params: { name } }, reply, payload, done) {
          if (reply.statusCode === 200) reply.headers(toFileHeaders(name));
          done(null, payload);
        },
      },
      async ({ params: { name }, headers }, reply) => {
        const file = files.get(name);
        if (file === undefined) return reply.callNotFound();
        const accepted = new Negotiator({ headers }).encoding([...ENCODINGS]);
        const encoding = accepted === 'gzip' ? 'gzip' : 'identity';
        const bytes = await file(encoding);
        if (encoding === 'gzip') reply.header('content-encoding', encoding);
        return reply
          .type(TYPES[extname(name)] ?? '')
          .header('content-length', bytes.length)
          .header('vary', 'origin, accept-encoding')
          .send(bytes);
      },
    );
  }
  return files.size;
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

/** Reads the file at `path` when it is first wanted in an encoding. */
function createFile(path: string): (encoding: Encoding) => Promise<Buffer> {
  const kept = new Map<Encoding, Promise<Buffer>>();
  const load = async (encoding: Encoding) => {
    const bytes = await readFile(path);
    return encoding === 'gzip' ? compress(bytes) : bytes;
  };
  return (encoding) => {
    const known = kept.get(encoding);
    if (known !== undefined) return known;
    const loading = load(encoding);
    kept.set(encoding, loading);
    // A file that could not be read is tried again.
    loading.catch(() => kept.delete(encoding));
    return loading;
  };
}

/** They replace headers of every answer. A worker has the policy of its own file, and not that of its page. */
const toFileHeaders = (name: string): Record<string, string> => ({
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control':
    name === FIRST_FILE ? 'no-store' : 'public, max-age=31536000, immutable',
});
