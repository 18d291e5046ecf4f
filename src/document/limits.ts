import { GraphQLError, Kind, type TypeNode } from 'graphql';
import type { Judge } from './prepare.ts';
import { type Definition, measure } from './size.ts';

/**
 * Bounds of what is looked at as a question at all; its price is judged afterwards. They lie far above what people and
 * tools write: 15 levels and 300 aliases are promised to pass, and the introspection of tools has 15 and none.
 */
export const MAX_TOKENS = 10_000;
const MAX_DEPTH = 30;
const MAX_ALIASES = 1000;
/** Fragments in fragments. Validation recurses through them, and would run out of stack somewhere above a thousand. */
const MAX_FRAGMENTS = 200;

/** Refuses a document by its size, in time in proportion to its text. Unused fragments count: they are validated too. */
export const refuseBySize: Judge = ({ definitions }) => {
  const judged = definitions.filter(isDefinition);
  const size = measure(judged, MAX_DEPTH + MAX_FRAGMENTS);
  if (size.circular !== null) {
    // graphql would find it too, and list every fragment on the way round, for every one of them.
    const message = `Cannot spread fragment "${size.circular}" within itself.`;
    return refusal('GRAPHQL_VALIDATION_FAILED', message);
  }
  const depth = Math.max(size.depth, ...judged.flatMap(listDepths));
  if (depth > MAX_DEPTH || size.fragments > MAX_FRAGMENTS) {
    const message = `A document has at most ${MAX_DEPTH} levels, and ${MAX_FRAGMENTS} fragments in one another.`;
    return refusal('DOCUMENT_TOO_DEEP', message);
  }
  if (size.aliases > MAX_ALIASES) {
    const message = `A document has at most ${MAX_ALIASES} aliases, counted wherever a fragment is spread.`;
    return refusal('DOCUMENT_TOO_WIDE', message);
  }
  return null;
};

const isDefinition = (node: { kind: string }): node is Definition =>
  node.kind === Kind.OPERATION_DEFINITION || node.kind === Kind.FRAGMENT_DEFINITION;

/** How many lists the type of each variable is wrapped in. */
const listDepths = ({ variableDefinitions = [] }: Definition): number[] =>
  variableDefinitions.map(({ type }) => listDepth(type));

function listDepth(type: TypeNode): number {
  let levels = 0;
  for (let inner = type; inner.kind !== Kind.NAMED_TYPE; inner = inner.type) levels += 1;
  return levels;
}

const refusal = (code: string, message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code, http: { status: 400 } } });
