import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type GraphQLError, parse } from 'graphql';
import { isObject } from '../rest/decode.ts';
import { parseJson } from '../rest/json.ts';
import { refusal } from './refusal.ts';

/** The documents that may run, by every name that a client may use: their SHA-256, and their id in the manifest. */
export type Manifest = ReadonlyMap<string, string>;

/** Allows only the documents of the manifest, whether a client sends a name or the whole text. */
export const trustOnly = (manifest: Manifest, name: string): GraphQLError | null =>
  manifest.has(name)
    ? null
    : refusal(
        'DOCUMENT_NOT_TRUSTED',
        'This gateway runs only the documents in its manifest, and this document is not one of them.',
      );

const SHA_256 = /^[0-9a-f]{64}$/;

/** A manifest that cannot be used; the message says why. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

/**
 * Reads a manifest of trusted documents as client tools write it: Relay's `{ "<id>": "<document>" }`, or Apollo's, with
 * its list of operations. Throws ManifestError.
 */
export async function loadManifest(path: string): Promise<Manifest> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ManifestError(`the file cannot be read: ${error.code}`);
  });
  const entries = toEntries(parseJson(text));
  if (entries === null) {
    throw new ManifestError(
      'the file is neither {"<sha256>": "<document>"} nor {"format": "apollo-persisted-query-manifest", "operations": [{"id", "body"}]}',
    );
  }
  if (entries.length === 0) throw new ManifestError('the file lists no documents');
  return new Map(entries.flatMap(toNames));
}

/** Lists a document under its id and under its SHA-256. */
function toNames([id, document]: readonly [string, string]): [string, string][] {
  const sha256 = hash('sha256', document);
  const name = JSON.stringify(id);
  if (SHA_256.test(id) && id !== sha256) {
    throw new ManifestError(`the id ${name} is not the SHA-256 of its document`);
  }
  if (!isDocument(document)) {
    throw new ManifestError(`the document ${name} is not GraphQL`);
  }
  return [
    [id, document],
    [sha256, document],
  ];
}

/** Ids and documents; null if the manifest has neither of the two formats. */
function toEntries(json: unknown): readonly [string, string][] | null {
  if (!isObject(json)) return null;
  const entries = Array.isArray(json.operations)
    ? json.operations.map((operation) =>
        isObject(operation) ? [operation.id, operation.body] : [],
      )
    : Object.entries(json);
  return entries.every(isEntry) ? entries : null;
}

const isEntry = (entry: unknown[]): entry is [string, string] =>
  entry.length === 2 && entry.every((part) => typeof part === 'string' && part !== '');

function isDocument(text: string): boolean {
  try {
    return parse(text).definitions.length > 0;
  } catch {
    return false;
  }
}
