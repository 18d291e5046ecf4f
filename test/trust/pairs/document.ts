import fc from 'fast-check';
import { type Made, oneOf, weighted } from '../arbitrary/one-of.ts';
import { type Kind, type Printed, READS, TYPES, WRITES } from './fields.ts';

/** The names of all variables. Operations of one document use the same names, often with other types. */
export const NAMES = ['x', 'y', 'z'] as const;

/** One of the three variables. */
type Place = 0 | 1 | 2;

const place = fc.constantFrom<Place>(0, 1, 2);

/** A root field. Every number chooses one of the possibilities that the operation has. */
const field = fc.record({
  target: fc.nat({ max: 11 }),
  /** The variable that is its argument, if it has a fitting type. */
  place,
  /** What is selected of the object or list. */
  body: fc.nat({ max: 3 }),
  wrap: fc.constantFrom('none', 'inline', 'typed'),
  /** The variables of its conditions. */
  skip: fc.option(place, { freq: 2 }),
  include: fc.option(place, { freq: 2 }),
});
type Field = Made<typeof field>;

/** A fragment that several operations spread: those in which its condition is a flag. */
const fragment = fc.record({
  directive: fc.constantFrom('skip', 'include'),
  condition: place,
  field,
});
type Fragment = Made<typeof fragment>;

const KINDS: readonly (readonly [weight: number, kind: Kind])[] = [
  [8, 'flag'],
  [8, 'id'],
  [1, 'text'],
  [1, 'count'],
  [1, 'none'],
];

function operationOf(isMutation: boolean) {
  // No read takes JSON.
  const kind = weighted<Kind>(...KINDS, [1, isMutation ? 'json' : 'id']);
  const flag = fc.constant<Kind>('flag');
  const hasDefault = weighted([5, false], [1, true]);
  return fc.record({
    isMutation: fc.constant(isMutation),
    kinds: oneOf([3, fc.tuple(kind, kind, kind)], [1, fc.tuple(flag, flag, flag)]),
    /** A request may leave out a variable that has a default value. */
    hasDefault: fc.tuple(hasDefault, hasDefault, hasDefault),
    fields: fc.array(field, { maxLength: 2 }),
    spreadsFragments: fc.boolean(),
  });
}
const operation = oneOf([3, operationOf(false)], [1, operationOf(true)]);
export type Operation = Made<typeof operation>;

export const document = fc.record({
  operations: fc.array(operation, { minLength: 2, maxLength: 3 }),
  fragments: fc.array(fragment, { maxLength: 2 }),
});
export type Document = Made<typeof document>;

export const operationName = (index: number): string => `Op${index}`;

/** The text of a document; valid whatever the parts are. */
export function printDocument({ operations, fragments }: Document): string {
  return [
    ...operations.map((operation, index) => printOperation(operation, index, fragments)),
    // A fragment that no operation spreads would make the document invalid.
    ...fragments.flatMap((fragment, index) =>
      operations.some((operation) => canSpread(operation, fragment))
        ? [printFragment(fragment, index)]
        : [],
    ),
  ].join('\n');
}

const canSpread = (
  { spreadsFragments, isMutation, kinds }: Operation,
  { condition }: Fragment,
): boolean => spreadsFragments && !isMutation && kinds[condition] === 'flag';

function printOperation(
  operation: Operation,
  index: number,
  fragments: readonly Fragment[],
): string {
  const { isMutation, kinds, fields } = operation;
  const spread = fragments.filter((fragment) => canSpread(operation, fragment));
  const written = [
    ...fields.map((field, each) => printField(operation, field, `f${each}`)),
    ...spread.map((fragment) => `...Shared${fragments.indexOf(fragment)}`),
  ];
  const text = written.join(' ');
  const unused = ([0, 1, 2] as const).filter(
    (each) =>
      kinds[each] !== 'none' &&
      !text.includes(`$${NAMES[each]}`) &&
      !spread.some(({ condition }) => condition === each),
  );
  const all = [...written, ...unused.map((each) => printUse(operation, each))];
  const kind = isMutation ? 'mutation' : 'query';
  return `${kind} ${operationName(index)}${printDefinitions(operation)} { ${all.join(' ') || '__typename'} }`;
}

function printDefinitions({ kinds, hasDefault }: Operation): string {
  const definitions = kinds.flatMap((kind, each) => {
    if (kind === 'none') return [];
    const [type, fallback] = TYPES[kind];
    return [`$${NAMES[each]}: ${type}${hasDefault[each] ? ` = ${fallback}` : '!'}`];
  });
  return definitions.length > 0 ? `(${definitions.join(', ')})` : '';
}

/** What printing a field needs to know of its operation. */
type Root = Pick<Operation, 'isMutation' | 'kinds'>;

/** A field that uses a variable which no other field uses. For a flag it costs no call. */
function printUse(root: Root, place: Place): string {
  const alias = `u${place}`;
  if (root.kinds[place] === 'flag')
    return `${alias}: __typename @include(if: $${NAMES[place]})`;
  const none = { body: 0, wrap: 'none', skip: null, include: null } as const;
  return printField(root, { target: place, place, ...none }, alias);
}

/** A fragment has no use for variables but its condition: the others may have any type. */
function printFragment({ directive, condition, field }: Fragment, index: number): string {
  const none: Operation['kinds'] = ['none', 'none', 'none'];
  none[condition] = 'flag';
  const conditions = { skip: null, include: null, [directive]: condition };
  const printed = printField(
    { isMutation: false, kinds: none },
    { ...field, ...conditions },
    `s${index}`,
  );
  return `fragment Shared${index} on Query { ${printed} }`;
}

/** A root field as text, with an alias, so that no two fields of an operation are merged. */
function printField(root: Root, field: Field, alias: string): string {
  const { target, place, body, wrap, skip, include } = field;
  const targets: readonly Printed[] = (root.isMutation ? WRITES : READS)[
    root.kinds[place]
  ](`$${NAMES[place]}`);
  const [head, selected] = targets[target % targets.length] as Printed;
  const chosen = ` { ${selected[body % selected.length]} }`;
  const conditions =
    printCondition(root, 'skip', skip) + printCondition(root, 'include', include);
  if (wrap === 'none') return `${alias}: ${head}${conditions}${chosen}`;
  const on = wrap === 'typed' ? ` on ${root.isMutation ? 'Mutation' : 'Query'}` : '';
  return `...${on}${conditions} { ${alias}: ${head}${chosen} }`;
}

/** By a variable if it is a flag in this operation, otherwise by the literal that keeps the field. */
function printCondition({ kinds }: Root, directive: string, place: Place | null): string {
  if (place === null) return '';
  const isFlag = kinds[place] === 'flag';
  return ` @${directive}(if: ${isFlag ? `$${NAMES[place]}` : directive === 'include'})`;
}
