import fc from 'fast-check';
import {
  doTypesOverlap,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql';

/** What a selection is made of; a number for each choice, so that it shrinks to the first ones. */
interface Choice {
  readonly kind: number;
  readonly field: number;
  readonly alias: number;
  readonly condition: number;
  readonly below: readonly Choice[];
}

const ALIASES = [null, null, null, 'a', 'b', '__proto__'];
const CONDITIONS = [
  '',
  '',
  '',
  '',
  '@include(if: $yes)',
  '@skip(if: $yes)',
  '@include(if: $no) @skip(if: $no)',
];
const ARGUMENTS: Readonly<Record<string, string>> = {
  person: '(id: $id)',
  pets: '(first: $first)',
  rename: '(name: "y")',
  add: '(to: $id)',
};

const { selections } = fc.letrec<{ selections: Choice[] }>((tie) => ({
  selections: fc.array(
    fc.record({
      kind: fc.nat(9),
      field: fc.nat(9),
      alias: fc.nat(ALIASES.length - 1),
      condition: fc.nat(CONDITIONS.length - 1),
      below: fc.oneof({ depthSize: 'medium' }, fc.constant([]), tie('selections')),
    }),
    { maxLength: 5 },
  ),
}));

/** Documents with variables; some do not fit the schema, and are for validation to refuse. */
export const randomDocument = (schema: GraphQLSchema): fc.Arbitrary<string> =>
  fc
    .record({ selections, fragment: selections, isMutation: fc.boolean() })
    .map((made) => {
      const root = made.isMutation ? schema.getMutationType() : schema.getQueryType();
      const person = schema.getType('Person');
      const variables = '($yes: Boolean = true, $no: Boolean!, $first: Int, $id: ID)';
      return [
        `${made.isMutation ? 'mutation' : 'query'} ${variables} ${print(made.selections, root, schema)}`,
        `fragment F on Person ${print(made.fragment, person, schema)}`,
      ].join('\n');
    });

function print(
  choices: readonly Choice[],
  type: GraphQLNamedType | null | undefined,
  schema: GraphQLSchema,
): string {
  const printed = choices.map((choice) => printOne(choice, type, schema));
  return `{ ${['__typename', ...printed].join(' ')} }`;
}

function printOne(
  { kind, field, alias, condition, below }: Choice,
  type: GraphQLNamedType | null | undefined,
  schema: GraphQLSchema,
): string {
  const directives = CONDITIONS[condition];
  if (kind === 0 && type?.name === 'Person') return `... F ${directives}`;
  // A union has no fields of its own.
  if (type != null && (kind === 1 || (kind > 2 && isUnionType(type)))) {
    const overlapping = overlappingTypes(type, schema);
    const other = overlapping[field % overlapping.length];
    return `... on ${other?.name} ${directives} ${print(below, other, schema)}`;
  }
  if (kind === 2) return `... ${directives} ${print(below, type, schema)}`;
  const fields =
    isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
  const chosen = fields[field % fields.length];
  if (chosen === undefined) return '__typename';
  const named = getNamedType(chosen.type);
  const hasFields = isObjectType(named) || isAbstractType(named);
  const name = ALIASES[alias] == null ? chosen.name : `${ALIASES[alias]}: ${chosen.name}`;
  return `${name}${ARGUMENTS[chosen.name] ?? ''} ${directives} ${hasFields ? print(below, named, schema) : ''}`;
}

/** The types that a fragment may name where objects of `type` are selected. */
const overlappingTypes = (
  type: GraphQLNamedType,
  schema: GraphQLSchema,
): GraphQLNamedType[] =>
  Object.values(schema.getTypeMap()).filter(
    (other) =>
      isCompositeType(type) &&
      isCompositeType(other) &&
      doTypesOverlap(schema, type, other),
  );
