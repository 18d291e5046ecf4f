import {
  type DocumentNode,
  type GraphQLError,
  Kind,
  type Token,
  TokenKind,
  type TypeNode,
} from 'graphql';
import { refusal } from './refusal.ts';
import { type Definition, type DocumentSize, isDefinition, measure } from './size.ts';

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

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Refuses the text of a document by its lines, before it is parsed. Lines end as in GraphQL: with \n, \r or \r\n. */
export function refuseByLines(text: string): GraphQLError | null {
  if (text.length < MAX_LINES) return null;
  let lines = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const isBreak =
      code === LINE_FEED ||
      (code === CARRIAGE_RETURN && text.charCodeAt(at + 1) !== LINE_FEED);
    if (!isBreak) continue;
    lines += 1;
    if (lines > MAX_LINES) {
      return refusal(
        'GRAPHQL_PARSE_FAILED',
        `Syntax Error: Document contains more than ${MAX_LINES} lines. Parsing aborted.`,
      );
    }
  }
  return null;
}

/** Measures a document. Takes time proportional to the text. */
export const measureDocument = (document: DocumentNode): DocumentSize =>
  measure(document, MAX_DEPTH + MAX_FRAGMENTS);

/** Refuses a document if one of its operations or fragments is too large. Unused fragments count: they are validated too. */
export function refuseBySize(
  { definitions, loc }: DocumentNode,
  { circular, depth, fragments, aliases, selections }: DocumentSize,
): GraphQLError | null {
  if (hasLongName(loc?.startToken ?? null))
    return tooWide(
      `A name in a document may have at most ${MAX_NAME_CHARACTERS} characters.`,
    );
  if (circular !== null) {
    // graphql would report the circle once for each of its fragments, each time with the names of all.
    const message = `Cannot spread fragment "${circular}" within itself.`;
    return refusal('GRAPHQL_VALIDATION_FAILED', message);
  }
  const depths = definitions.filter(isDefinition).flatMap(listDepths);
  if (Math.max(depth, ...depths) > MAX_DEPTH || fragments > MAX_FRAGMENTS) {
    const message = `A document may have at most ${MAX_DEPTH} levels of fields and ${MAX_FRAGMENTS} levels of nested fragments.`;
    return refusal('DOCUMENT_TOO_DEEP', message);
  }
  if (aliases > MAX_ALIASES) return tooWide(atEachSpread(`${MAX_ALIASES} aliases`));
  if (selections > MAX_SELECTIONS)
    return tooWide(atEachSpread(`${MAX_SELECTIONS} selections`));
  return null;
}

const atEachSpread = (most: string): string =>
  `A document may have at most ${most}, counted again wherever a fragment is spread.`;

const tooWide = (message: string) => refusal('DOCUMENT_TOO_WIDE', message);

function hasLongName(first: Token | null): boolean {
  for (let token = first; token !== null; token = token.next) {
    if (token.kind === TokenKind.NAME && token.value.length > MAX_NAME_CHARACTERS)
      return true;
  }
  return false;
}

/** How deeply the type of each variable nests lists. */
const listDepths = ({ variableDefinitions = [] }: Definition): number[] =>
  variableDefinitions.map(({ type }) => listDepth(type));

function listDepth(type: TypeNode): number {
  let levels = 0;
  for (let inner = type; inner.kind !== Kind.NAMED_TYPE; inner = inner.type) levels += 1;
  return levels;
}
