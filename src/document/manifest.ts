import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parse } from 'graphql';
import { ConfigError } from '../config.ts';

/** The documents that may run, by every name they may be asked for: their SHA-256, and the id the manifest gives them. */
export type Manifest = ReadonlyMap<string, string>;

const SHA_256 = /^[0-9a-f]{64}$/;

/**
 * Reads a manifest of trusted documents as client tools write it: Relay's `{ "<id>": "<document>" }`, or Apollo's with its
 * list of operations. Throws ConfigError with a line that says what is wrong.
 */
export async function loadManifest(path: string): Promise<Manifest> {
  const refuse = (why: string): never => {
    throw new ConfigError(
      `TRUSTED_DOCUMENTS="${path}": takes the path of a manifest of documents; ${why}`,
    );
  };
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) =>
    refuse(`this file cannot be read: ${error.code}`),
  );
  const entries = toEntries(readJson(text));
  if (entries === null) {
    return refuse(
      'this is neither {"<sha256>": "<document>"} nor {"format": "apollo-persisted-query-manifest", "operations": [{"id", "body"}]}',
    );
  }
  if (entries.length === 0) return refuse('this one lists none');
  return new Map(
    entries.flatMap(([id, document]): [string, string][] => {
      const hash = createHash('sha256').update(document).digest('hex');
      const name = JSON.stringify(id);
      if (SHA_256.test(id) && id !== hash)
        return refuse(`the id ${name} is not the SHA-256 of its document`);
      if (!isDocument(document)) return refuse(`the document ${name} is not GraphQL`);
      return [
        [id, document],
        [hash, document],
      ];
    }),
  );
}

/** Undefined for what is no JSON. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Ids and documents; null if the manifest is of neither kind. */
function toEntries(json: unknown): readonly [string, string][] | null {
  if (!isObject(json)) return null;
  const entries = Array.isArray(json.operations)
    ? json.operations.map((operation) =>
        isObject(operation) ? [operation.id, operation.body] : [],
      )
    : Object.entries(json);
  return entries.every(isEntry) ? entries : null;
}

const isObject = (json: unknown): json is Record<string, unknown> =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

const isEntry = (entry: unknown[]): entry is [string, string] =>
  entry.length === 2 && entry.every((part) => typeof part === 'string' && part !== '');

function isDocument(text: string): boolean {
  try {
    return parse(text).definitions.length > 0;
  } catch {
    return false;
  }
}
