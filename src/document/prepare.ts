import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  Kind,
  type Token,
} from 'graphql';
import { refuseConditionalRoot } from './conditional-root.ts';
import { readConditions } from './conditions.ts';
import { dedupeSelections } from './dedupe.ts';
import { countSelections } from './expanded.ts';
import { refuseBySelections, refuseBySize } from './limits.ts';
import { forgetText } from './locations.ts';
import { type Manifest, trustOnly } from './trusted.ts';

declare const prepared: unique symbol;

/** A document that may run, with everything that depends on the document alone. Only `createPrepare` makes one. */
export interface Prepared {
  readonly [prepared]: true;
  readonly document: DocumentNode;
  /** Its fragments by name. */
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  /** The variables on which `@skip` and `@include` depend. */
  readonly conditions: readonly string[];
  /** How many it has, comments included. */
  readonly tokens: number;
  /** Of its largest operation, counted again wherever a fragment is spread. */
  readonly selections: number;
}

/**
 * Refuses documents that are not trusted or too large, and merges duplicate selections in the others. It runs before
 * validation, because otherwise a client could make validation take very long. `name` is the document's SHA-256, or the id
 * that the client sent instead.
 */
export const createPrepare =
  (trusted: Manifest | null) =>
  (document: DocumentNode, name: string): Prepared | GraphQLError => {
    forgetText(document);
    const refusal =
      (trusted && trustOnly(trusted, name)) ??
      refuseBySize(document) ??
      refuseConditionalRoot(document);
    if (refusal !== null) return refusal;
    const deduped = dedupeSelections(document);
    const selections = countSelections(deduped);
    const tooMany = refuseBySelections(selections);
    if (tooMany !== null) return tooMany;
    const fragments = deduped.definitions.filter(
      (definition) => definition.kind === Kind.FRAGMENT_DEFINITION,
    );
    return {
      document: deduped,
      tokens: countTokens(document),
      selections,
      conditions: readConditions(deduped),
      fragments: Object.fromEntries(
        fragments.map((fragment) => [fragment.name.value, fragment]),
      ),
    } as Prepared;
  };

function countTokens({ loc }: DocumentNode): number {
  let count = 0;
  const first: Token | null = loc?.startToken ?? null;
  for (let token = first; token !== null; token = token.next) count += 1;
  return count;
}
