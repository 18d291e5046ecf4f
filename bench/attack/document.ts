import {
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import type { Case } from './case.ts';
import { createCounter, raw, text, type Value, writeValue } from './value.ts';

/** A document of more tokens or aliases is refused at once. */
const MAX_TOKENS = 9900;
const MAX_ALIASES = 1000;
/** Selections are repeated this share of what the case says. The largest share that the limits allow is used. */
const SHARES = [1, 0.5, 0.25, 0.1, 0.05, 0.01];

/** What enum values in the document of a case stand for. */
const WORDS: Readonly<Record<string, Value>> = {
  EACH_OTHER: text('x', 1, true),
  PARENT_FOLDERS: text('../', 1217),
  FAR_CURSOR: { kind: 'cursor', position: 999_999_999, list: '/v1/messages' },
};

/**
 * Writes the document of a request, of at most about `room` characters. Selections are repeated less often where the
 * document would be refused for its size, because a search learns nothing there.
 */
export function writeDocument(one: Case, room: number): string {
  const [operation] = parse(one.document).definitions as OperationDefinitionNode[];
  let written = '';
  for (const share of SHARES) {
    written = writeOnce(one, operation?.selectionSet, room, share);
    const { tokens, aliases } = sizeOf(written);
    if (tokens <= MAX_TOKENS && aliases <= MAX_ALIASES) break;
  }
  return written;
}

function writeOnce(
  one: Case,
  selections: SelectionSetNode | undefined,
  room: number,
  share: number,
): string {
  const next = createCounter();
  const nextAlias = createCounter();
  /** The fragments that the selections spread. */
  const fragments: string[] = [];

  const writeSet = (set: SelectionSetNode | undefined): string =>
    (set?.selections ?? []).map(writeSelection).join(' ');

  function writeSelection(node: SelectionNode): string {
    const { n = 1, alias = 1 } = numbersOf(node, 'times');
    const body = writeBody(node);
    if (n <= 1)
      return 'alias' in node && node.alias ? `${node.alias.value}: ${body}` : body;
    // Bodies that differ have the same size.
    const { tokens, aliases } = sizeOf(body);
    const most = [
      n * share,
      MAX_TOKENS / (tokens + 2),
      MAX_ALIASES / (aliases + 1),
      room / body.length,
    ];
    const isEachOther = print(node).includes('EACH_OTHER');
    const times = Math.max(1, Math.round(Math.min(...most)));
    const bodies = Array.from({ length: times }, (_, index) =>
      isEachOther && index > 0 ? writeBody(node) : body,
    );
    return bodies
      .map((each) => `${`a${nextAlias()}_`.padEnd(alias, 'x')}: ${each}`)
      .join(' ');
  }

  /** A selection without its alias. */
  function writeBody(node: SelectionNode): string {
    if (node.kind === Kind.FRAGMENT_SPREAD) return print(node);
    const isField = node.kind === Kind.FIELD;
    const given = isField ? (node.arguments ?? []) : [];
    const args = given.map(({ name, value }) => `${name.value}: ${writeArgument(value)}`);
    const directives = (node.directives ?? []).filter(
      ({ name }) => !['times', 'inFragments'].includes(name.value),
    );
    return [
      isField ? node.name.value : `... on ${node.typeCondition?.name.value}`,
      args.length === 0 ? '' : `(${args.join(' ')})`,
      ...directives.map((directive) => ` ${print(directive)}`),
      node.selectionSet === undefined ? '' : ` { ${writeBelow(node)} }`,
    ].join('');
  }

  function writeArgument(node: ValueNode): string {
    if (node.kind === Kind.ENUM)
      return writeValue(WORDS[node.value] ?? raw(node.value), { room, next });
    if (node.kind === Kind.LIST) return `[${node.values.map(writeArgument).join(' ')}]`;
    if (node.kind !== Kind.OBJECT) return print(node);
    const fields = node.fields.map(
      ({ name, value }) => `${name.value}: ${writeArgument(value)}`,
    );
    return `{${fields.join(' ')}}`;
  }

  /** What a selection selects, in its fragments. */
  function writeBelow(node: SelectionNode): string {
    const below = 'selectionSet' in node ? writeSet(node.selectionSet) : '';
    const { n = 0, on = 'Query' } = numbersOf(node, 'inFragments');
    if (n < 1) return below;
    const first = fragments.length;
    for (let index = 0; index < n; index += 1) {
      const inner = index === n - 1 ? below : `...F${first + index + 1}`;
      fragments.push(`fragment F${first + index} on ${on} { ${inner} }`);
    }
    return `...F${first}`;
  }

  const fields = writeSet(selections);
  const used = fields + fragments.join('');
  const definitions = Object.entries(one.variables).map(
    ([name, { type }]) => `$${name}: ${type}`,
  );
  if (/\$yes\b/.test(used)) definitions.push('$yes: Boolean! = true');
  if (/\$no\b/.test(used)) definitions.push('$no: Boolean! = false');
  const head = definitions.length === 0 ? '' : `(${definitions.join(' ')})`;
  const spare = Math.max(0, room - fields.length - head.length);
  const paddings = Math.min(one.paddings, Math.floor(spare / (one.padding.length || 1)));
  const operations = Math.min(one.operations, Math.floor(spare / 30));
  return [
    ...(one.before === '' ? [] : [one.before]),
    `${one.type} Q${head} {${one.padding.repeat(paddings)}${fields}}`,
    ...Array.from({ length: operations }, (_, at) => `query Q${at} { __typename }`),
    ...fragments,
  ].join(' ');
}

/** The arguments of one of the two additions. */
function numbersOf(
  { directives = [] }: SelectionNode,
  addition: string,
): { n?: number; alias?: number; on?: string } {
  const found = directives.find(({ name }) => name.value === addition);
  const given = (found?.arguments ?? []).map(({ name, value }) => [
    name.value,
    JSON.parse(print(value)),
  ]);
  return Object.fromEntries(given);
}

/** About how many tokens GraphQL's parser finds in a text, and how many aliases. */
function sizeOf(written: string): { tokens: number; aliases: number } {
  const withoutTexts = written.replace(/"[^"]*"/g, '"').replace(/[\s,]+/g, ' ');
  return {
    tokens: withoutTexts.match(/[\w.-]+|[^\s\w.-]/g)?.length ?? 0,
    aliases: withoutTexts.match(/\ba\d+_x*: /g)?.length ?? 0,
  };
}
