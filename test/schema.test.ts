import { readdirSync, readFileSync } from 'node:fs';
import {
  buildClientSchema,
  buildSchema,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  lexicographicSortSchema,
  parse,
  printSchema as print,
} from 'graphql';
import { expect, test } from 'vitest';
import { toSchemaPage } from '../site/schema-page.ts';
import { costOf, type FieldCost } from '../src/cost/declaration.ts';
import { printSchema } from '../src/gateway.ts';
import { resources } from '../src/messaging/index.ts';
import { createSchema } from '../src/resolvers/schema.ts';
import { startTestGateway } from './support/gateway.ts';
import { NOWHERE } from './support/http.ts';

const types = Object.values(createSchema(resources).getTypeMap()).filter(
  (type) =>
    !type.name.startsWith('__') && !(isScalarType(type) && isSpecifiedScalarType(type)),
);

/** What is derived from other objects, with the kind of cost that it must declare. */
const DERIVED: Readonly<Record<string, FieldCost['kind']>> = {
  'Query.viewer': 'search',
  'Message.isMine': 'through',
  'Reaction.isMine': 'through',
  'Conversation.contact': 'first',
  'Conversation.unreadCount': 'first',
};

/** The kind of cost that a field must declare; undefined if it arrives inside its parent. */
function requiredCost(
  parent: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
): FieldCost['kind'] | undefined {
  if (parent.name === 'Mutation') return 'write';
  const derived = DERIVED[`${parent.name}.${field.name}`];
  if (derived !== undefined) return derived;
  if (parent.name !== 'Query' && !isNode(parent)) return undefined;
  const type = getNamedType(field.type);
  if (type.name.endsWith('Connection')) return 'list';
  if (!isNode(type)) return undefined;
  if (parent.name === 'Query') return 'fetch';
  // The parent knows the id of what it links to.
  return `${field.name}Id` in parent.getFields() ? 'link' : 'first';
}

const isNode = (type: GraphQLNamedType): boolean =>
  type.name === 'Node' ||
  (isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node'));

test('every type that is a Node has its line in src/messaging/index.ts', () => {
  const nodes = types.filter((type) => isObjectType(type) && isNode(type));

  expect(resources.map(({ calls }) => calls.typeName).sort()).toEqual(
    nodes.map(({ name }) => name).sort(),
  );
});

test('every field that can cost a call declares its cost, and no other field does', () => {
  const fields = types.filter(isObjectType).flatMap((type) =>
    Object.values(type.getFields()).map((field) => ({
      name: `${type.name}.${field.name}`,
      declared: costOf(field)?.kind,
      required: requiredCost(type, field),
    })),
  );

  const declared = fields.map(({ name, declared }) => [name, declared]);
  expect(declared).toEqual(fields.map(({ name, required }) => [name, required]));
  expect(new Set(fields.map(({ required }) => required))).toEqual(
    new Set(['fetch', 'list', 'first', 'link', 'through', 'search', 'write', undefined]),
  );
});

/** What the description of a field says of its cost. */
const COSTS: Record<FieldCost['kind'], RegExp> = {
  fetch: /Costs one call( for each object)?\.$/,
  list: /Costs one call, or more where the service does not give the page at once\./,
  first:
    /Costs what a page of `messages` costs, and nothing beside one (of at least (ten|`atMost`) )?in `NEWEST_FIRST`\.$/,
  link: /Costs one call, and none where the operation has the object already\. Asking for its `id` or `nodeId` alone costs no call,/,
  through:
    /Costs what (`conversation` costs until then, and is priced so afterwards, but makes no call|`isMine` of its message costs)\.$/,
  search: /Costs three calls at most, and usually one once the gateway knows you\.$/,
  write: /Costs (one call|two calls)(\.|, and (one|a few|up to four) more to .*\.)$/,
};

test('the description of a field says what it costs, if it costs a call, and no other does', () => {
  for (const type of types.filter(isObjectType))
    for (const field of Object.values(type.getFields())) {
      const cost = costOf(field);
      const said = field.description ?? '';
      if (cost === undefined) expect(said).not.toMatch(/Costs (?!no call)/);
      else expect(`${type.name}.${field.name}: ${said}`).toMatch(COSTS[cost.kind]);
    }
});

test('fields of the same name and without arguments have the same type in all types that can be asked of `node` at once', () => {
  const byField = new Map<string, Map<string, string>>();
  for (const type of types.filter(isObjectType).filter(isNode)) {
    for (const { name, args, type: fieldType } of Object.values(type.getFields())) {
      if (args.length > 0) continue;
      const owners = byField.get(name) ?? new Map<string, string>();
      byField.set(name, owners.set(String(fieldType), `${type.name}.${name}`));
    }
  }

  const differing = [...byField.values()].filter(({ size }) => size > 1);
  expect(byField.get('createdAt')?.size).toBe(1);
  expect(differing.map((owners) => Object.fromEntries(owners))).toEqual([
    // Every message has a sender; a conversation may show no other contact. Who asks for both needs an alias.
    { Contact: 'Conversation.contact', 'Contact!': 'Message.contact' },
  ]);
});

/** Everything that a client reads about in the explorer, by its name. */
const described = types.flatMap((type) => {
  const hasFields =
    isObjectType(type) || isInterfaceType(type) || isInputObjectType(type);
  const fields: (GraphQLField<unknown, unknown> | GraphQLInputField)[] = hasFields
    ? Object.values(type.getFields())
    : [];
  return [
    [type.name, type.description],
    ...fields.flatMap((field) => {
      const name = `${type.name}.${field.name}`;
      const args = 'args' in field ? field.args : [];
      return [
        [name, field.description],
        ...args.map((arg) => [`${name}(${arg.name})`, arg.description]),
      ];
    }),
  ];
});

test.each(described)('%s is described', (_, description) => {
  expect(description).toMatch(/^[A-Z].{5,}\.$/s);
});

test('comments in the schema are descriptions, which clients can read', () => {
  for (const file of readdirSync('schema')) {
    expect(readFileSync(`schema/${file}`, 'utf8'), file).not.toMatch(/^\s*#/m);
  }
});

test('a field of Query and Mutation is nullable, except nodes, whose items are', () => {
  const fields = types
    .filter(({ name }) => ['Query', 'Mutation'].includes(name))
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()));

  const required = fields.filter(({ type }) => isNonNullType(type));
  expect(fields.length).toBeGreaterThan(10);
  expect(required.map(({ name, type }) => [name, String(type)])).toEqual([
    ['nodes', '[Node]!'],
  ]);
});

test('examples/apollo-client.ts merges the pages of every list', () => {
  const cache = readFileSync('examples/apollo-client.ts', 'utf8');
  const query = types.filter(isObjectType).find(({ name }) => name === 'Query');
  const lists = Object.values(query?.getFields() ?? {})
    .filter(({ type }) => /Connection$/.test(String(type)))
    .map(({ name }) => name);

  expect(lists.length).toBeGreaterThan(1);
  expect(
    lists.filter((name) => !cache.includes(`${name}: relayStylePagination(`)),
  ).toEqual([]);
});

const PRINTED = readFileSync('schema.graphql', 'utf8');

test('schema.graphql is what `npm run codegen` prints of the files in schema/', () => {
  expect(PRINTED).toBe(`${printSchema()}\n`);
});

test('docs/schema.md is what `npm run codegen` makes of the schema, and names every type', () => {
  const page = readFileSync('docs/schema.md', 'utf8');

  expect(page).toBe(toSchemaPage());
  const unnamed = types.filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(page));
  expect(unnamed).toEqual([]);
});

test('schema.graphql is the schema that a gateway answers to introspection, descriptions included', async () => {
  await using gateway = await startTestGateway(NOWHERE);

  const { data } = await gateway.ask(
    getIntrospectionQuery({
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
      typeDepth: 9,
    }),
    { token: null },
  );

  const sorted = (schema: GraphQLSchema) => print(lexicographicSortSchema(schema));
  expect(sorted(buildClientSchema(data))).toBe(sorted(buildSchema(PRINTED)));
});

test('the schema that is executed has its fields in the order of schema.graphql', () => {
  expect(`${print(createSchema(resources))}\n`).toBe(PRINTED);
});

test('schema.graphql defines every type at once, because compilers read `extend` in other ways', () => {
  const kinds = new Set(parse(PRINTED).definitions.map(({ kind }) => kind));

  expect([...kinds].filter((kind) => /Extension$/.test(kind))).toEqual([]);
  expect(kinds).toContain(Kind.OBJECT_TYPE_DEFINITION);
});
