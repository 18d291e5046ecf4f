import {
  type GraphQLCompositeType,
  type GraphQLFieldMap,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import type { Genome, Selection, Value } from './genome.ts';
import { createCounter, isDistinct, type Writing, writeValue } from './value.ts';

type Type = GraphQLCompositeType | null;

/** A document of more tokens or aliases is refused at once. */
const MAX_TOKENS = 9900;
const MAX_ALIASES = 1000;
/** Selections are repeated this share of what their genes say. The largest share that the limits allow is used. */
const SHARES = [1, 0.5, 0.25, 0.1, 0.05, 0.01];

/**
 * Writes the document of a request, of at most about `room` characters. Selections are repeated less often where the
 * document would be refused for its size, because a search learns nothing there.
 */
export function writeDocument(
  genome: Genome,
  schema: GraphQLSchema,
  room: number,
): string {
  let text = '';
  for (const share of SHARES) {
    text = writeOnce(genome, schema, room, share);
    const { tokens, aliases } = sizeOf(text);
    if (tokens <= MAX_TOKENS && aliases <= MAX_ALIASES) break;
  }
  return text;
}

function writeOnce(
  genome: Genome,
  schema: GraphQLSchema,
  room: number,
  share: number,
): string {
  const writing: Writing = { as: 'literal', room, next: createCounter() };
  const nextAlias = createCounter();
  /** The fragments that the selections spread. */
  const fragments: string[] = [];
  /** For all that is written, fragments too. Unit: characters. */
  let characters = 2 * room;

  const writeSelections = (selections: readonly Selection[], parent: Type): string =>
    selections.map((one) => writeSelection(one, parent)).join(' ');

  function writeSelection(selection: Selection, parent: Type): string {
    const { field, repeat, aliasLength } = selection;
    const hasAlias = aliasLength > 0 && !field.startsWith('...');
    const same = isDistinctBelow(selection) ? null : writeBody(selection, parent);
    const sizeOfSame = same === null ? null : sizeOf(`a0_: ${same}`);
    const fields: string[] = [];
    const left = { characters: room, tokens: MAX_TOKENS, aliases: MAX_ALIASES };
    const times = Math.max(1, Math.round(repeat * share));
    for (let index = 0; index < times; index += 1) {
      const body = same ?? writeBody(selection, parent);
      const alias = `a${nextAlias()}_`.padEnd(aliasLength, 'x');
      const written = hasAlias ? `${alias}: ${body}` : body;
      const { tokens, aliases } = sizeOfSame ?? sizeOf(written);
      left.characters -= written.length + 1;
      left.tokens -= tokens;
      left.aliases -= aliases;
      if (index > 0) {
        characters -= written.length;
        if (Math.min(characters, ...Object.values(left)) < 0) break;
      }
      fields.push(written);
    }
    return fields.join(' ');
  }

  /** A field without its alias. */
  function writeBody(selection: Selection, parent: Type): string {
    const { field, args, directive, directiveCount } = selection;
    const below = writeBelow(selection, typeBelow(field, parent, schema));
    const written = Object.entries(args).map(
      ([name, value]) => `${name}: ${writeArgument(value)}`,
    );
    return [
      field,
      written.length === 0 ? '' : `(${written.join(' ')})`,
      ` ${directive}`.repeat(directive === '' ? 0 : directiveCount),
      below,
    ].join('');
  }

  function writeArgument(value: Value): string {
    const fitting = Math.max(0, Math.min(room, characters));
    const text = writeValue(value, { ...writing, room: fitting });
    characters -= text.length;
    return text;
  }

  /** The selections below a field, in their fragments. */
  function writeBelow({ below, wrap, wraps }: Selection, type: Type): string {
    if (below.length === 0) return '';
    const fields = writeSelections(below, type);
    if (wrap === 'nothing') return ` { ${fields} }`;
    if (wrap === 'inline fragments') {
      return ` { ${'... { '.repeat(wraps)}${fields}${' }'.repeat(wraps)} }`;
    }
    const first = fragments.length;
    const on = type?.name ?? 'Query';
    for (let index = 0; index <= wraps; index += 1) {
      const inner = index === wraps ? fields : `...F${first + index + 1}`;
      characters -= inner.length;
      fragments.push(`fragment F${first + index} on ${on} { ${inner} }`);
    }
    return ` { ...F${first} }`;
  }

  const { type, padding } = genome;
  const fields = writeSelections(
    genome.selections,
    schema.getRootType(type as never) ?? null,
  );
  const definitions = writeDefinitions(genome, fields + fragments.join(''), writing);
  const spare = Math.max(0, room - fields.length - definitions.length);
  const paddings = Math.min(genome.paddings, Math.floor(spare / (padding.length || 1)));
  const operations = Math.min(genome.operations, Math.floor(spare / 30));
  return [
    ...(genome.before === '' ? [] : [genome.before]),
    `${type} Q${definitions} {${padding.repeat(paddings)}${fields}}`,
    ...Array.from({ length: operations }, (_, at) => `query Q${at} { __typename }`),
    ...fragments,
  ].join(' ');
}

/** `($x: ID!, ...)`, with the variables of the directives that are used. */
function writeDefinitions({ variables }: Genome, text: string, writing: Writing): string {
  const definitions = Object.entries(variables).map(
    ([name, { type, value, isDefault }]) =>
      `$${name}: ${type}${isDefault ? ` = ${writeValue(value, writing)}` : ''}`,
  );
  if (text.includes('$yes')) definitions.push('$yes: Boolean! = true');
  if (text.includes('$no')) definitions.push('$no: Boolean! = false');
  return definitions.length === 0 ? '' : `(${definitions.join(' ')})`;
}

/** Whether each use of a selection has other arguments. */
const isDistinctBelow = ({ args, below }: Selection): boolean =>
  Object.values(args).some(isDistinct) || below.some(isDistinctBelow);

/** The type of a field, or of an inline fragment; null if it has no fields of its own. */
export function typeBelow(field: string, parent: Type, schema: GraphQLSchema): Type {
  const [, condition] = /^\.\.\. on (\w+)$/.exec(field) ?? [];
  if (condition !== undefined) return toComposite(schema.getType(condition));
  return toComposite(getNamedType(fieldsOf(parent)[field]?.type));
}

/** The fields of a type; none of a union, or of no type. */
export const fieldsOf = (type: Type): GraphQLFieldMap<unknown, unknown> =>
  isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};

const toComposite = (type: GraphQLNamedType | undefined): Type =>
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
