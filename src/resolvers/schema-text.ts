import { readdirSync, readFileSync } from 'node:fs';
import { buildASTSchema, parse, printSchema as print } from 'graphql';
import { toSubgraphText } from './subgraph-text.ts';

const FOLDER = new URL('../../schema/', import.meta.url);

/** The text of every .graphql file in `schema/`, in the order of their names. They extend one another's types. */
export const readSchemaFiles = (): readonly string[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.graphql'))
    .toSorted()
    .map((file) => readFileSync(new URL(file, FOLDER), 'utf8'));

interface SchemaTextOptions {
  /** As a subgraph, for composers. Default false. */
  readonly federation?: boolean | undefined;
}

/**
 * The whole schema as one text without `extend`, for clients' tools. Relay's compiler takes the fields of an `extend type`
 * for fields of the client, which it does not send.
 */
export function printSchema({ federation = false }: SchemaTextOptions = {}): string {
  const text = print(buildASTSchema(parse(readSchemaFiles().join('\n'))));
  return federation ? toSubgraphText(text) : text;
}
