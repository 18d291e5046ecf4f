import fc from 'fast-check';
import { printArgument, type Variable } from './print-argument.ts';
import type {
  Condition,
  FieldSelection,
  FragmentSelection,
  Selection,
} from './selection.ts';

/** An operation as a client sends it. */
export interface Operation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

interface Printing {
  /** Which field, with which arguments, a response name stands for: the same one all over the operation. */
  readonly meanings: Map<string, string>;
  /** Text of the named fragments, by what they hold. */
  readonly fragments: Map<string, string>;
  /** Variables by their declaration and value, so that equal ones are one. */
  readonly variables: Map<string, Variable>;
}

/** Writes selections as a valid operation: no response name means two things, every variable and fragment is used. */
export function printOperation(
  kind: 'query' | 'mutation',
  selections: readonly Selection[],
): Operation {
  const printing: Printing = {
    meanings: new Map(),
    fragments: new Map(),
    variables: new Map(),
  };
  const body = printSet(printing, selections);
  const variables = [...printing.variables.values()];
  const declarations = variables.map(({ declaration }) => declaration).join(', ');
  const head = declarations === '' ? kind : `${kind} (${declarations})`;
  const definitions = [...printing.fragments].map(
    ([text, name]) => `fragment ${name} ${text}`,
  );
  const operation = {
    query: [`${head} ${body}`, ...definitions].join('\n'),
    variables: Object.fromEntries(
      variables.flatMap(({ name, given }) => given.map((value) => [name, value])),
    ),
  };
  return Object.defineProperty(operation, fc.toStringMethod, {
    value: () => `\n${operation.query}\n${JSON.stringify(operation.variables)}\n`,
  });
}

const printSet = (printing: Printing, selections: readonly Selection[]): string =>
  `{ ${selections.map((selection) => printSelection(printing, selection)).join(' ')} }`;

const printSelection = (printing: Printing, selection: Selection): string =>
  selection.kind === 'field'
    ? printField(printing, selection)
    : printFragment(printing, selection);

function printField(printing: Printing, selection: FieldSelection): string {
  const { field, alias, args, conditions, children } = selection;
  const list = args.map(
    (arg) => `${arg.name}: ${printArgument(printing.variables, arg)}`,
  );
  const meaning = list.length === 0 ? field : `${field}(${list.join(', ')})`;
  const name = nameFor(printing, alias ?? field, meaning);
  const text = name === field ? meaning : `${name}: ${meaning}`;
  const below = children === null ? '' : ` ${printSet(printing, children)}`;
  return `${text}${printConditions(printing, conditions)}${below}`;
}

/** The wished response name, or with a number behind it the first that is free. */
function nameFor({ meanings }: Printing, wished: string, meaning: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wished : `${wished}_${number}`;
    const taken = meanings.get(name) ?? meaning;
    if (taken !== meaning) continue;
    meanings.set(name, meaning);
    return name;
  }
}

function printFragment(printing: Printing, selection: FragmentSelection): string {
  const { on, spreads, conditions, children } = selection;
  const text = `${on === null ? '' : `on ${on} `}${printSet(printing, children)}`;
  const printed = printConditions(printing, conditions);
  if (on === null || spreads === 0)
    return `... ${toInline(on, children, printing, printed)}`;
  const { fragments } = printing;
  const name = fragments.get(text) ?? `F${fragments.size}`;
  fragments.set(text, name);
  return Array.from({ length: spreads }, () => `...${name}${printed}`).join(' ');
}

/** Directives stand between the type and the set. */
const toInline = (
  on: string | null,
  children: readonly Selection[],
  printing: Printing,
  printed: string,
): string => `${on === null ? '' : `on ${on}`}${printed} ${printSet(printing, children)}`;

const printConditions = (printing: Printing, conditions: readonly Condition[]): string =>
  conditions
    .map(({ directive, value, how }) => {
      const argument = { name: 'if', type: 'Boolean!', value, how, parts: null };
      return ` @${directive}(if: ${printArgument(printing.variables, argument)})`;
    })
    .join('');
