import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  Kind,
} from 'graphql';
import { dedupeSelections } from './dedupe.ts';
import { forgetText } from './locations.ts';

/** Returns the error that refuses a document, or null. `name` is its SHA-256, or the id that the client sent instead. */
export type Judge = (document: DocumentNode, name: string) => GraphQLError | null;

declare const prepared: unique symbol;

/** A document that may run, with everything that depends on the document alone. Only `prepare` makes one. */
export interface Prepared {
  readonly [prepared]: true;
  readonly document: DocumentNode;
  /** Its fragments by name. */
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
}

/** Judges a document before it is validated, and removes duplicates from it: its client controls what validation costs. */
export function prepare(
  document: DocumentNode,
  name: string,
  judges: readonly Judge[],
): Prepared | GraphQLError {
  forgetText(document);
  for (const judge of judges) {
    const refusal = judge(document, name);
    if (refusal !== null) return refusal;
  }
  const deduped = dedupeSelections(document);
  const fragments = deduped.definitions.filter(
    (definition) => definition.kind === Kind.FRAGMENT_DEFINITION,
  );
  return {
    document: deduped,
    fragments: Object.fromEntries(
      fragments.map((fragment) => [fragment.name.value, fragment]),
    ),
  } as Prepared;
}
