import type { GraphQLError } from 'graphql';
import { refusal } from './refusal.ts';
import type { DocumentSize } from './size.ts';

/**
 * Limits of a document, far above what people and tools write: the introspection query of tools has 15 levels and no
 * alias. A document within these limits can be refused only for the cost of its operation.
 */
export const MAX_TOKENS = 10_000;
/** To find the line of a syntax error, graphql searches the whole text before it; a million lines take a tenth of a second. */
const MAX_LINES = 5000;
/** A name may be repeated in a hundred errors and in thousands of objects of the answer. Unit: characters. */
const MAX_NAME_CHARACTERS = 1000;
const MAX_DEPTH = 30;
const MAX_ALIASES = 1000;
/** Each takes up to a kilobyte while an operation is executed, and as long as its plan is kept. */
const MAX_SELECTIONS = 25_000;
/** Fragments nested in fragments. Validation recurses through them and overflows the stack somewhere above a thousand. */
const MAX_FRAGMENTS = 200;
/** A document of more levels is not measured further. */
export const MAX_LEVELS = MAX_DEPTH + MAX_FRAGMENTS;

const LINE_BREAK = /\r\n|[\n\r]/;

/** Refuses the text of a document by its lines, before it is parsed. */
export const refuseByLines = (text: string): GraphQLError | null =>
  text.split(LINE_BREAK, MAX_LINES + 1).length > MAX_LINES
    ? refusal(
        'GRAPHQL_PARSE_FAILED',
        `Syntax Error: Document contains more than ${MAX_LINES} lines. Parsing aborted.`,
      )
    : null;

/** Refuses a document if one of its operations or fragments is too large. Unused fragments count: they are validated too. */
export function refuseBySize(size: DocumentSize): GraphQLError | null {
  if (size.longestName > MAX_NAME_CHARACTERS)
    return tooWide(
      `A name in a document may have at most ${MAX_NAME_CHARACTERS} characters.`,
    );
  if (size.circular !== null) {
    // graphql would report the circle once for each of its fragments, each time with the names of all.
    const message = `Cannot spread fragment "${size.circular}" within itself.`;
    return refusal('GRAPHQL_VALIDATION_FAILED', message);
  }
  if (
    Math.max(size.depth, size.listDepth) > MAX_DEPTH ||
    size.fragments > MAX_FRAGMENTS
  ) {
    const message = `A document may have at most ${MAX_DEPTH} levels of fields and ${MAX_FRAGMENTS} levels of nested fragments.`;
    return refusal('DOCUMENT_TOO_DEEP', message);
  }
  if (size.aliases > MAX_ALIASES) return tooWide(atEachSpread(`${MAX_ALIASES} aliases`));
  if (size.selections > MAX_SELECTIONS)
    return tooWide(atEachSpread(`${MAX_SELECTIONS} selections`));
  // The specification forbids it since 2025. graphql 16 evaluates the directive without the values of variables, and throws.
  if (size.isConditionalSubscription)
    return refusal(
      'GRAPHQL_VALIDATION_FAILED',
      'A subscription must not use @skip or @include at its root field: whether to subscribe is for the client to decide.',
    );
  return null;
}

const atEachSpread = (most: string): string =>
  `A document may have at most ${most}, counted again wherever a fragment is spread.`;

const tooWide = (message: string) => refusal('DOCUMENT_TOO_WIDE', message);
