import { fragmentName, printField, printFragment } from './print-field.ts';

/** The names of all variables. Operations of one document use the same names, often with other types. */
export const NAMES = ['x', 'y', 'z'] as const;

/** What a variable is for. An operation that has no use for a name does not declare it. */
export type Kind = 'flag' | 'id' | 'text' | 'count' | 'json' | 'none';

/** Whether a request must give the variable, or may leave it out because it has a default value. */
export interface Variable {
  readonly kind: Kind;
  readonly hasDefault: boolean;
}

/** One of the three variables, by its place in `NAMES`. */
export type Place = 0 | 1 | 2;

/** The variables of `@skip` and `@include`; null: the field has no such directive. */
export interface Guards {
  readonly skip: Place | null;
  readonly include: Place | null;
}

/** A root field. Every number chooses one of the possibilities that the operation has. */
export interface Field {
  readonly target: number;
  /** The variable that is its argument, if it has a fitting type. */
  readonly place: Place;
  readonly guards: Guards;
  /** What is selected of the object or list. */
  readonly body: number;
  readonly wrap: 'none' | 'inline' | 'typed';
}

/** A fragment that several operations spread: those in which its condition is a flag. */
export interface Fragment {
  readonly guard: { readonly directive: keyof Guards; readonly place: Place };
  readonly field: Omit<Field, 'guards'>;
}

export interface Operation {
  readonly isMutation: boolean;
  readonly variables: readonly [Variable, Variable, Variable];
  readonly fields: readonly Field[];
  readonly spreadsFragments: boolean;
}

export interface Document {
  readonly operations: readonly Operation[];
  readonly fragments: readonly Fragment[];
}

export const operationName = (index: number): string => `Op${index}`;

/** The text of a document; valid whatever the parts are. */
export function printDocument({ operations, fragments }: Document): string {
  const spread = fragments.map(({ guard }) =>
    operations.some((operation) => canSpread(operation, guard)),
  );
  return [
    ...operations.map((operation, index) => printOperation(operation, index, fragments)),
    // A fragment that no operation spreads would make the document invalid.
    ...fragments.flatMap((fragment, index) =>
      spread[index] ? [printFragment(fragment, index)] : [],
    ),
  ].join('\n');
}

const canSpread = (operation: Operation, { place }: Fragment['guard']): boolean =>
  operation.spreadsFragments &&
  !operation.isMutation &&
  operation.variables[place].kind === 'flag';

function printOperation(
  operation: Operation,
  index: number,
  fragments: readonly Fragment[],
): string {
  const { isMutation, variables, fields } = operation;
  const spreads = fragments.flatMap(({ guard }, each) =>
    canSpread(operation, guard) ? [`...${fragmentName(each)}`] : [],
  );
  const written = [
    ...fields.map((field, each) => printField(operation, field, `f${each}`)),
    ...spreads,
  ];
  const text = written.join(' ');
  const unused = NAMES.flatMap((name, place) => {
    const isUsed = text.includes(`$${name}`) || spreadsUse(operation, fragments, place);
    if (isUsed || variables[place as Place].kind === 'none') return [];
    return [printUse(operation, place as Place)];
  });
  const all = [text, ...unused].filter((part) => part !== '');
  const selections = all.length > 0 ? all.join(' ') : '__typename';
  const kind = isMutation ? 'mutation' : 'query';
  return `${kind} ${operationName(index)}${printDefinitions(operation)} { ${selections} }`;
}

const spreadsUse = (
  operation: Operation,
  fragments: readonly Fragment[],
  place: number,
): boolean =>
  fragments.some(({ guard }) => guard.place === place && canSpread(operation, guard));

/** A field that uses a variable which no other field uses. For a flag it costs no call. */
function printUse(operation: Operation, place: Place): string {
  const alias = `u${place}`;
  if (operation.variables[place].kind === 'flag')
    return `${alias}: __typename @include(if: $${NAMES[place]})`;
  const guards = { skip: null, include: null };
  return printField(
    operation,
    { target: place, place, guards, body: 0, wrap: 'none' },
    alias,
  );
}

function printDefinitions({ variables }: Operation): string {
  const definitions = variables.flatMap(({ kind, hasDefault }, place) => {
    if (kind === 'none') return [];
    const [type, fallback] = TYPES[kind];
    return [`$${NAMES[place]}: ${type}${hasDefault ? ` = ${fallback}` : '!'}`];
  });
  return definitions.length > 0 ? `(${definitions.join(', ')})` : '';
}

/** The type of each kind, and its default value. */
const TYPES: Readonly<Record<Exclude<Kind, 'none'>, readonly [string, string]>> = {
  flag: ['Boolean', 'true'],
  id: ['ID', '"a"'],
  text: ['String', '"a,true,b"'],
  count: ['Int', '2'],
  json: ['JSON', '{ a: [true, "b,false"] }'],
};
