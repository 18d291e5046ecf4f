import { type DocumentNode, type GraphQLError, Kind, type TypeNode } from 'graphql';
import { refusal } from './refusal.ts';
import { type Definition, measure } from './size.ts';

/**
 * Limits of a document, far above what people and tools write. We promise to accept 15 levels and 300 aliases; the
 * introspection query of tools has 15 levels and no alias. Within these limits, only an operation's cost decides.
 */
export const MAX_TOKENS = 10_000;
const MAX_DEPTH = 30;
const MAX_ALIASES = 1000;
/** Fragments nested in fragments. Validation recurses through them and overflows the stack somewhere above a thousand. */
const MAX_FRAGMENTS = 200;

/** Refuses a document by its size, in time proportional to its text. Unused fragments count, because they are validated too. */
export function refuseBySize({ definitions }: DocumentNode): GraphQLError | null {
  const measured = definitions.filter(isDefinition);
  const size = measure(measured, MAX_DEPTH + MAX_FRAGMENTS);
  if (size.circular !== null) {
    // graphql would report the circle once for each of its fragments, and name all of them each time.
    const message = `Cannot spread fragment "${size.circular}" within itself.`;
    return refusal('GRAPHQL_VALIDATION_FAILED', message);
  }
  const depth = Math.max(size.depth, ...measured.flatMap(listDepths));
  if (depth > MAX_DEPTH || size.fragments > MAX_FRAGMENTS) {
    const message = `A document may have at most ${MAX_DEPTH} levels of fields and ${MAX_FRAGMENTS} levels of nested fragments.`;
    return refusal('DOCUMENT_TOO_DEEP', message);
  }
  if (size.aliases > MAX_ALIASES) {
    const message = `A document may have at most ${MAX_ALIASES} aliases, counted again wherever a fragment is spread.`;
    return refusal('DOCUMENT_TOO_WIDE', message);
  }
  return null;
}

const isDefinition = (node: { kind: string }): node is Definition =>
  node.kind === Kind.OPERATION_DEFINITION || node.kind === Kind.FRAGMENT_DEFINITION;

/** How deeply the type of each variable nests lists. */
const listDepths = ({ variableDefinitions = [] }: Definition): number[] =>
  variableDefinitions.map(({ type }) => listDepth(type));

function listDepth(type: TypeNode): number {
  let levels = 0;
  for (let inner = type; inner.kind !== Kind.NAMED_TYPE; inner = inner.type) levels += 1;
  return levels;
}
