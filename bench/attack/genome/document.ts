import {
  type GraphQLCompositeType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import type { Genome, Selection, Value } from './genome.ts';
import { createCounter, isDistinct, type Writing, writeValue } from './value.ts';

/** A document of more tokens or aliases is refused at once. */
const MAX_TOKENS = 9900;
const MAX_ALIASES = 1000;
/** Selections are repeated this share of what their genes say. The largest share that the limits allow is used. */
const SHARES = [1, 0.5, 0.25, 0.1, 0.05, 0.01] as const;

/** What is written of a document. */
interface Draft {
  readonly schema: GraphQLSchema;
  readonly writing: Writing;
  /** The fragments that the selections spread. */
  readonly fragments: string[];
  /** The most characters of a selection; repeats are cut to it. */
  readonly room: number;
  readonly share: number;
  /** Of all that is written, fragments too. Unit: characters. */
  readonly left: { characters: number };
  readonly nextAlias: () => number;
}

/**
 * Writes the document of a request, of at most about this many characters. Selections are repeated less often where the
 * document would be refused for its size, because a search learns nothing there.
 */
export function writeDocument(
  genome: Genome,
  schema: GraphQLSchema,
  room: number,
): string {
  let text = '';
  for (const share of SHARES) {
    text = writeOnce(genome, {
      schema,
      writing: { as: 'literal', room, next: createCounter() },
      fragments: [],
      room,
      share,
      left: { characters: 2 * room },
      nextAlias: createCounter(),
    });
    const { tokens, aliases } = sizeOf(text);
    if (tokens <= MAX_TOKENS && aliases <= MAX_ALIASES) break;
  }
  return text;
}

function writeOnce(genome: Genome, draft: Draft): string {
  const { type, selections, padding, paddings, operations } = genome;
  const { schema, room } = draft;
  const root = schema.getRootType(type as never) ?? null;
  const fields = writeSelections(selections, root, draft);
  const definitions = writeDefinitions(genome, fields + draft.fragments.join(''), draft);
  const spare = Math.max(0, room - fields.length - definitions.length);
  const blank = padding.repeat(
    Math.min(paddings, Math.floor(spare / (padding.length || 1))),
  );
  const more = Array.from(
    { length: Math.min(operations, Math.floor(spare / 30)) },
    (_, index) => `query Q${index} { __typename }`,
  );
  return [
    ...(genome.before === '' ? [] : [genome.before]),
    `${type} Q${definitions} {${blank}${fields}}`,
    ...more,
    ...draft.fragments,
  ].join(' ');
}

/** `($x: ID!, ...)`, with the variables of the directives that are used. */
function writeDefinitions(
  { variables }: Genome,
  text: string,
  { writing }: Draft,
): string {
  const definitions = Object.entries(variables).map(
    ([name, { type, value, isDefault }]) =>
      `$${name}: ${type}${isDefault ? ` = ${writeValue(value, writing)}` : ''}`,
  );
  for (const [name, value] of [
    ['yes', true],
    ['no', false],
  ]) {
    if (text.includes(`$${name}`)) definitions.push(`$${name}: Boolean! = ${value}`);
  }
  return definitions.length === 0 ? '' : `(${definitions.join(' ')})`;
}

const writeSelections = (
  selections: readonly Selection[],
  parent: GraphQLCompositeType | null,
  draft: Draft,
): string => selections.map((one) => writeSelection(one, parent, draft)).join(' ');

function writeSelection(
  selection: Selection,
  parent: GraphQLCompositeType | null,
  draft: Draft,
): string {
  const { field, repeat, aliasLength } = selection;
  const hasAlias = aliasLength > 0 && !field.startsWith('...');
  const same = isDistinctBelow(selection) ? null : writeBody(selection, parent, draft);
  const sizeOfSame = same === null ? null : sizeOf(`a0_: ${same}`);
  const fields: string[] = [];
  const left = { characters: draft.room, tokens: MAX_TOKENS, aliases: MAX_ALIASES };
  for (let index = 0; index < Math.max(1, Math.round(repeat * draft.share)); index += 1) {
    const body = same ?? writeBody(selection, parent, draft);
    const alias = `a${draft.nextAlias()}_`.padEnd(aliasLength, 'x');
    const written = hasAlias ? `${alias}: ${body}` : body;
    const { tokens, aliases } = sizeOfSame ?? sizeOf(written);
    left.characters -= written.length + 1;
    if (index > 0) draft.left.characters -= written.length;
    left.tokens -= tokens;
    left.aliases -= aliases;
    const isFull = Object.values({ ...left, all: draft.left.characters }).some(
      (count) => count < 0,
    );
    if (index > 0 && isFull) break;
    fields.push(written);
  }
  return fields.join(' ');
}

/** Whether each use of a selection has other arguments. */
const isDistinctBelow = ({ args, below }: Selection): boolean =>
  Object.values(args).some(isDistinct) || below.some(isDistinctBelow);

/** A field without its alias. */
function writeBody(
  { field, args, directive, directiveCount, ...selection }: Selection,
  parent: GraphQLCompositeType | null,
  draft: Draft,
): string {
  const below = writeBelow(selection, typeBelow(field, parent, draft.schema), draft);
  const written = Object.entries(args).map(
    ([name, value]) => `${name}: ${writeArgument(value, draft)}`,
  );
  return [
    field,
    written.length === 0 ? '' : `(${written.join(' ')})`,
    ` ${directive}`.repeat(directive === '' ? 0 : directiveCount),
    below,
  ].join('');
}

function writeArgument(value: Value, { writing, left }: Draft): string {
  const room = Math.max(0, Math.min(writing.room, left.characters));
  const text = writeValue(value, { ...writing, room });
  left.characters -= text.length;
  return text;
}

/** The selections below a field, in their fragments. */
function writeBelow(
  { below, wrap, wraps }: Pick<Selection, 'below' | 'wrap' | 'wraps'>,
  type: GraphQLCompositeType | null,
  draft: Draft,
): string {
  if (below.length === 0) return '';
  const fields = writeSelections(below, type, draft);
  if (wrap === 'nothing') return ` { ${fields} }`;
  if (wrap === 'inline fragments') {
    return ` { ${'... { '.repeat(wraps)}${fields}${' }'.repeat(wraps)} }`;
  }
  const first = draft.fragments.length;
  const on = type?.name ?? 'Query';
  for (let index = 0; index <= wraps; index += 1) {
    const inner = index === wraps ? fields : `...F${first + index + 1}`;
    draft.left.characters -= inner.length;
    draft.fragments.push(`fragment F${first + index} on ${on} { ${inner} }`);
  }
  return ` { ...F${first} }`;
}

/** The type of a field, or of an inline fragment; null if it has no fields of its own. */
export function typeBelow(
  field: string,
  parent: GraphQLCompositeType | null,
  schema: GraphQLSchema,
): GraphQLCompositeType | null {
  const [, condition] = /^\.\.\. on (\w+)$/.exec(field) ?? [];
  if (condition !== undefined) return toComposite(schema.getType(condition));
  if (!isObjectType(parent) && !isInterfaceType(parent)) return null;
  return toComposite(getNamedType(parent.getFields()[field]?.type));
}

const toComposite = (type: GraphQLNamedType | undefined): GraphQLCompositeType | null =>
  isCompositeType(type) ? type : null;

/** The size of a part of a document that this search wrote. */
const sizeOf = (text: string) => ({
  tokens: countTokens(text),
  aliases: text.match(/\ba\d+_x*: /g)?.length ?? 0,
});

/** About how many tokens GraphQL's parser finds in a text. Strings may be long, so no expression reads them. */
function countTokens(text: string): number {
  let count = 0;
  let isInName = false;
  for (let at = 0; at < text.length; at += 1) {
    const mark = text.charAt(at);
    const isName = /[\w.-]/.test(mark);
    if (mark === '"') at = endOfString(text, at);
    if (isName ? !isInName : !/[\s,]/.test(mark)) count += 1;
    isInName = isName;
  }
  return count;
}

function endOfString(text: string, begin: number): number {
  for (let at = begin + 1; at < text.length; at += 1) {
    const mark = text.charAt(at);
    if (mark === '\\') at += 1;
    else if (mark === '"') return at;
  }
  return text.length;
}
