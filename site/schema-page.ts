import {
  astFromValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLType,
  getNamedType,
  getNullableType,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  parse,
  print,
} from 'graphql';
import { costOf, type WriteCost } from '../src/cost/declaration.ts';
import { OPERATIONS } from '../src/messaging/examples.ts';
import { resources } from '../src/messaging/index.ts';
import { createSchema } from '../src/resolvers/schema.ts';

type Field = GraphQLField<unknown, unknown>;
type Input = Pick<GraphQLInputField, 'type' | 'defaultValue'>;

const HEAD = `# Schema

Every type, and what its fields cost. \`npm run codegen\` makes this page from [\`schema/\`](../schema) and from the costs that the
fields declare. [\`schema.graphql\`](../schema.graphql) is the schema for tools.

- **Calls** are those to the messaging service. Where the column is empty, the value arrives inside its object, and costs none. Fields
  that want the same object read it once, and the fields of one list make their calls together.
  \`extensions: { explain: true }\` shows the calls of an operation ([performance.md](performance.md)). What subscriptions cost is in
  [live.md](live.md).
- **\`!\` behind the type of a field** means that it is never null. Where a field without it can be null, its description says when. A field
  that costs calls is also null if they fail: an error with its \`path\` says why ([errors.md](errors.md)), and the other fields keep
  their values.
- **\`!\` behind the type of an argument** or of a field of an input means that it must be given, if no default is named.`;

const schema = createSchema(resources);
const types = Object.values(schema.getTypeMap()).filter(
  (type) =>
    !type.name.startsWith('__') && !(isScalarType(type) && isSpecifiedScalarType(type)),
);
const roots = [
  schema.getQueryType(),
  schema.getMutationType(),
  schema.getSubscriptionType(),
].filter((type) => type != null);
const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});

/** The mutation with which a type is shown, for its input and its payload. */
const mutationOf = new Map(
  mutations.flatMap((mutation) =>
    [mutation.type, ...mutation.args.map(({ type }) => type)].map((type) => [
      getNamedType(type).name,
      mutation.name,
    ]),
  ),
);

const isPage = ({ name }: GraphQLNamedType): boolean =>
  /Connection$|Edge$|^PageInfo$/.test(name);

/** The text of docs/schema.md: the schema for people, with the costs that its fields declare. */
export function toSchemaPage(): string {
  const others = types.filter(
    (type) => !roots.some((root) => root === type) && !mutationOf.has(type.name),
  );
  const objects = others.filter((type) => isObjectType(type) || isInterfaceType(type));
  const parts = [
    HEAD,
    ...roots.flatMap(toRoot),
    '## Objects',
    ...objects.filter((type) => !isPage(type)).flatMap(toSection),
    '## Pages',
    ...objects.filter(isPage).flatMap(toSection),
    '## Inputs, enums and scalars',
    ...others
      .filter((type) => !isObjectType(type) && !isInterfaceType(type))
      .flatMap(toSection),
  ];
  return `${parts.join('\n\n')}\n`;
}

function toRoot(root: GraphQLObjectType): string[] {
  const isMutation = root === schema.getMutationType();
  return [
    `## ${root.name}`,
    toText(root),
    ...toExamples(root),
    ...(isMutation ? [toOverview(), ...mutations.flatMap(toMutation)] : toFields(root)),
  ];
}

/** The example operations that begin at this type. */
const toExamples = (root: GraphQLObjectType): string[] =>
  OPERATIONS.filter(({ document }) => {
    const operation = getOperationAST(parse(document));
    return operation && schema.getRootType(operation.operation) === root;
  }).flatMap(({ document, variables }) => [
    `\`\`\`graphql\n${document}\`\`\``,
    `Its variables, with the sample data: \`${JSON.stringify(variables)}\``,
  ]);

const toOverview = (): string =>
  toTable(
    ['Field', 'Calls'],
    mutations.map((one) => [
      `[\`${one.name}\`](#${one.name.toLowerCase()})`,
      toCalls(one),
    ]),
  );

function toMutation(mutation: Field): string[] {
  const [input, payload] = [mutation.args[0]?.type, mutation.type].map(getNamedType);
  if (!isInputObjectType(input) || !isObjectType(payload))
    throw new Error(`${mutation.name} has other types than an input and a payload.`);
  const results = Object.values(payload.getFields());
  return [
    `### ${mutation.name}`,
    toText(mutation),
    `\`input: ${input}!\`. ${toText(input)}`,
    toInputs(input),
    `Returns \`${payload}\`:`,
    results
      .map((field) => `- \`${field.name}\` (${toLink(field.type)}): ${toText(field)}`)
      .join('\n'),
  ];
}

function toSection(type: GraphQLNamedType): string[] {
  const interfaces = isObjectType(type) ? type.getInterfaces() : [];
  const text = [toText(type), ...interfaces.map((one) => `It is a ${toLink(one)}.`)];
  return [`### ${type.name}`, text.join(' '), ...toContent(type)];
}

function toContent(type: GraphQLNamedType): string[] {
  if (isObjectType(type) || isInterfaceType(type)) return toFields(type);
  if (isInputObjectType(type)) return [toInputs(type)];
  if (!isEnumType(type)) return [];
  return [
    type
      .getValues()
      .map((value) => `- \`${value.name}\`: ${toText(value)}`)
      .join('\n'),
  ];
}

/** A table of the fields, and a list of the arguments of each that has some. */
function toFields(type: GraphQLObjectType | GraphQLInterfaceType): string[] {
  const fields: Field[] = Object.values(type.getFields());
  const hasCalls = fields.some((field) => toCalls(field) !== '');
  const table = toTable(
    ['Field', 'Type', ...(hasCalls ? ['Calls'] : []), 'What it is'],
    fields.map((field) => [
      `\`${field.name}\``,
      toLink(field.type),
      ...(hasCalls ? [toCalls(field)] : []),
      toText(field),
    ]),
  );
  const lists = fields
    .filter(({ args }) => args.length > 0)
    .flatMap(({ name, args }) => [
      `Arguments of \`${name}\`:`,
      args
        .map(
          (arg) =>
            `- \`${arg.name}\` (${toLink(arg.type)}${toDefault(arg)}): ${toText(arg)}`,
        )
        .join('\n'),
    ]);
  return [table, ...lists];
}

const toInputs = (type: GraphQLInputObjectType): string =>
  toTable(
    ['Field', 'Type', 'What it is'],
    Object.values(type.getFields()).map((field) => [
      `\`${field.name}\``,
      `${toLink(field.type)}${toDefault(field)}`,
      toText(field),
    ]),
  );

const toTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');

/** How many calls a field makes, in a word or two; its description says more. Empty: none. */
function toCalls(field: Field): string {
  const cost = costOf(field);
  switch (cost?.kind) {
    case undefined:
      return '';
    case 'fetch':
      return isListType(getNullableType(field.type)) ? '1 for each' : '1';
    case 'list':
      return '1 or more';
    case 'first':
      return `0, or as \`${cost.list}\``;
    case 'link':
      return '0 or 1';
    case 'through':
      return `0, or as \`${cost.link}\``;
    case 'search':
      return `up to ${cost.calls}`;
    case 'write':
      return toWriteCalls(cost);
  }
}

function toWriteCalls({ reads = 0, mayRead, onceIn }: WriteCost): string {
  if (onceIn !== undefined) return '1 or more';
  if (reads > 0) return `up to ${reads + 1}`;
  return mayRead === true ? '1 or 2' : '1';
}

/** A type with a link to where the page explains it. */
function toLink(type: GraphQLType): string {
  const { name } = getNamedType(type);
  const heading = mutationOf.get(name) ?? name;
  return types.some((one) => one.name === name)
    ? `[\`${type}\`](#${heading.toLowerCase()})`
    : `\`${type}\``;
}

function toDefault({ defaultValue, type }: Input): string {
  const value = defaultValue === undefined ? null : astFromValue(defaultValue, type);
  return value ? `, default \`${print(value)}\`` : '';
}

const toText = ({
  description,
}: {
  readonly description?: string | null | undefined;
}): string => (description ?? '').replaceAll('\n', ' ');

if (import.meta.main) process.stdout.write(toSchemaPage());
