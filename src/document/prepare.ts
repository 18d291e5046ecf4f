import { type DocumentNode, type GraphQLError, Kind } from 'graphql';
import { MAX_LEVELS, refuseBySize } from './limits.ts';
import { forgetText } from './locations.ts';
import type { Fragments } from './selection.ts';
import { measure } from './size.ts';
import type { TrustedDocuments } from './trusted.ts';
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
  /** Whether the name of the field whose numbers keep their text is in it. */
  readonly namesExactField: boolean;
  /** Its SHA-256, if it runs although it is not trusted. */
  readonly untrusted: string | undefined;
  /** The version of the manifest that says so. */
  readonly version: number;
}

/** Why a document or an operation may not run. */
export type Refusals = readonly GraphQLError[];

export const isRefused = (outcome: object): outcome is Refusals => Array.isArray(outcome);

/**
 * Refuses documents that are not trusted, too large, or invalid. They are measured before they are validated, because
 * otherwise a client could make validation take very long. `name` is the document's SHA-256, or the id that the client sent
 * instead. `trusted`: the documents that may run; null: any document may. `exactField`: see Prepared.
 */
export const createPrepare =
  (trusted: TrustedDocuments | null, validate: Validate, exactField: string) =>
  (document: DocumentNode, name: string): Prepared | Refusals => {
    forgetText(document);
    const fragments = Object.fromEntries(
      document.definitions
        .filter((one) => one.kind === Kind.FRAGMENT_DEFINITION)
        .map((one) => [one.name.value, one]),
    );
    const size = measure(document, fragments, MAX_LEVELS);
    const refusal = trusted?.refusalOf(name) ?? refuseBySize(size);
    if (refusal !== null) return [refusal];
    const errors = validate(document);
    if (errors.length > 0) return errors;
    const { selections, tokens, characters, names } = size;
    const untrusted = trusted?.texts.has(name) === false ? name : undefined;
    const judged = { untrusted, version: trusted?.version ?? 0 };
    const namesExactField = names.has(exactField);
    const counts = { selections, tokens, characters };
    return { document, fragments, ...counts, namesExactField, ...judged };
  };
