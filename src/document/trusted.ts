import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type GraphQLError, parse } from 'graphql';
import { isObject } from '../rest/decode.ts';
import { parseJson } from '../rest/json.ts';
import { refusal } from './refusal.ts';

/** The documents that may run, each under both names that a client may use: its id in the manifest, and its SHA-256. */
export type Documents = readonly (readonly [name: string, text: string])[];

/** The manifest in force. */
export class TrustedDocuments {
  texts: ReadonlyMap<string, string>;
  /** How often it was replaced. What was prepared under an earlier one is prepared again. */
  version = 0;
  /** Whether other documents are refused. If not, they run, and are reported. */
  readonly enforces: boolean;

  constructor(documents: Documents, mode: 'enforce' | 'report') {
    this.texts = new Map(documents);
    this.enforces = mode === 'enforce';
  }

  replace(documents: Documents): void {
    this.texts = new Map(documents);
    this.version += 1;
  }

  /** Allows only the documents of the manifest, whether a client sends a name or the whole text. */
  refusalOf(name: string): GraphQLError | null {
    if (!this.enforces || this.texts.has(name)) return null;
    return refusal(
      'DOCUMENT_NOT_TRUSTED',
      'This gateway runs only the documents in its manifest, and this document is not one of them.',
    );
  }
}

const SHA_256 = /^[0-9a-f]{64}$/;

/** A manifest that cannot be used; the message says why. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

/**
 * Reads a manifest of trusted documents as client tools write it: Relay's `{ "<id>": "<document>" }`, or Apollo's, with
 * its list of operations. Throws ManifestError.
 */
export function loadManifest(path: string): Documents {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ManifestError(`the file cannot be read: ${code}`);
  }
  const entries = toEntries(parseJson(text));
  if (entries === null) {
    throw new ManifestError(
      'the file is neither {"<sha256>": "<document>"} nor {"format": "apollo-persisted-query-manifest", "operations": [{"id", "body"}]}',
    );
  }
  if (entries.length === 0) throw new ManifestError('the file lists no documents');
  const documents = entries.flatMap(toNames);
  const texts = new Map(documents);
  const twice = documents.find(([name, text]) => texts.get(name) !== text);
  if (twice === undefined) return documents;
  throw new ManifestError(`the id ${JSON.stringify(twice[0])} has two documents`);
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
