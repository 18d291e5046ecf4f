import { type DocumentNode, type GraphQLError, Kind } from 'graphql';
import { MAX_LEVELS, refuseBySize } from './limits.ts';
import { forgetText } from './locations.ts';
import type { Fragments } from './selection.ts';
import { measure } from './size.ts';
import { type Manifest, trustOnly } from './trusted.ts';
import type { Validate } from './validate.ts';

/** A valid document that may run, with everything that depends on the document alone. */
export interface Prepared {
  readonly document: DocumentNode;
  readonly fragments: Fragments;
  /** How many it has, comments included. */
  readonly tokens: number;
  /** The length of its text. V8 keeps a text as long as a part of it, such as a name. */
  readonly characters: number;
  /** Of its largest operation or fragment, counted again wherever a fragment is spread. */
  readonly selections: number;
  /** All names in it. */
  readonly names: ReadonlySet<string>;
}

/** Why a document or an operation may not run. */
export type Refusals = readonly GraphQLError[];

export const isRefused = (outcome: object): outcome is Refusals => Array.isArray(outcome);

/**
 * Refuses documents that are not trusted, too large, or invalid. They are measured before they are validated, because
 * otherwise a client could make validation take very long. `name` is the document's SHA-256, or the id that the client sent
 * instead. `trusted`: the documents that may run; null: any document may.
 */
export const createPrepare =
  (trusted: Manifest | null, validate: Validate) =>
  (document: DocumentNode, name: string): Prepared | Refusals => {
    forgetText(document);
    const fragments = Object.fromEntries(
      document.definitions
        .filter((one) => one.kind === Kind.FRAGMENT_DEFINITION)
        .map((one) => [one.name.value, one]),
    );
    const size = measure(document, fragments, MAX_LEVELS);
    const refusal = (trusted && trustOnly(trusted, name)) ?? refuseBySize(size);
    if (refusal !== null) return [refusal];
    const errors = validate(document);
    if (errors.length > 0) return errors;
    const { selections, tokens, characters, names } = size;
    return { document, fragments, selections, tokens, characters, names };
  };
