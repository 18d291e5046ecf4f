import fc from 'fast-check';
import { printArguments, printValue, type Variables } from './print-arguments.ts';
import type {
  Condition,
  FieldSelection,
  FragmentSelection,
  Selection,
} from './selection.ts';

export interface Operation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

interface Printing {
  /** The field, arguments and type of each response name, the same in the whole operation, so that none clash. */
  readonly meanings: Map<string, string>;
  /** Names of the fragments, by their text. */
  readonly fragments: Map<string, string>;
  readonly variables: Variables;
}

/** Prints a valid operation: response names do not clash, and every variable and fragment is used. */
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
  const { field, type = '', alias, args, conditions, children } = selection;
  const list = printArguments(printing.variables, args);
  const meaning = list.length === 0 ? field : `${field}(${list.join(', ')})`;
  const name = nameFor(printing, alias ?? field, `${meaning}: ${type}`);
  const text = name === field ? meaning : `${name}: ${meaning}`;
  const below = children === null ? '' : ` ${printSet(printing, children)}`;
  return `${text}${printConditions(printing, conditions)}${below}`;
}

/** The preferred response name; with a number behind it where that name is taken. */
function nameFor({ meanings }: Printing, preferred: string, meaning: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? preferred : `${preferred}_${number}`;
    if ((meanings.get(name) ?? meaning) !== meaning) continue;
    meanings.set(name, meaning);
    return name;
  }
}

function printFragment(printing: Printing, selection: FragmentSelection): string {
  const { on, spreads, conditions, children } = selection;
  const type = on === null ? '' : `on ${on}`;
  const set = printSet(printing, children);
  const printed = printConditions(printing, conditions);
  if (on === null || spreads === 0) return `... ${type}${printed} ${set}`;
  const { fragments } = printing;
  const text = `${type} ${set}`;
  const name = fragments.get(text) ?? `F${fragments.size}`;
  fragments.set(text, name);
  return Array.from({ length: spreads }, () => `...${name}${printed}`).join(' ');
}

const printConditions = ({ variables }: Printing, conditions: readonly Condition[]) =>
  conditions
    .map(({ directive, value, style }) => {
      const printed = printValue(variables, 'Boolean!', value, style);
      return ` @${directive}(if: ${printed})`;
    })
    .join('');
