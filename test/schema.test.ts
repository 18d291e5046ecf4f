import { readdirSync, readFileSync } from 'node:fs';
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import { expect, test } from 'vitest';
import { createSchema } from '../src/resolvers/schema.ts';

const types = Object.values(createSchema().getTypeMap()).filter(
  (type) =>
    !type.name.startsWith('__') && !(isScalarType(type) && isSpecifiedScalarType(type)),
);

test('what costs a call is a Node or a connection: nothing else is priced', () => {
  const fields = types
    .filter(isObjectType)
    .filter(({ name }) => name !== 'Mutation')
    .flatMap((type) => Object.values(type.getFields()))
    .filter(({ resolve }) => resolve !== undefined);
  const reached = fields.map(({ type }) => getNamedType(type)).filter(isObjectType);
  const unpriced = reached.filter(
    (type) =>
      !type.name.endsWith('Connection') &&
      !type.getInterfaces().some(({ name }) => name === 'Node'),
  );

  expect(reached.length).toBeGreaterThan(4);
  expect(unpriced.map(({ name }) => name)).toEqual([]);
});

/** Everything a client reads about in the explorer, by its name. */
function describables(): [name: string, description: string | null | undefined][] {
  return types.flatMap((type) => {
    const own: [string, string | null | undefined] = [type.name, type.description];
    if (isEnumType(type)) return [own];
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields());
      return [
        own,
        ...fields.map(
          (field) =>
            [`${type.name}.${field.name}`, field.description] as [string, string],
        ),
      ];
    }
    if (!isObjectType(type) && !isInterfaceType(type)) return [own];
    return [
      own,
      ...Object.values(type.getFields()).flatMap((field) => [
        [`${type.name}.${field.name}`, field.description] as [string, string],
        ...field.args.map(
          (arg) =>
            [`${type.name}.${field.name}(${arg.name})`, arg.description] as [
              string,
              string,
            ],
        ),
      ]),
    ];
  });
}

test.each(describables())('%s is described', (_name, description) => {
  expect(description).toMatch(/^[A-Z].{5,}\.$/s);
});

test('comments in the schema are descriptions, which clients can read', () => {
  for (const file of readdirSync('schema')) {
    expect(readFileSync(`schema/${file}`, 'utf8'), file).not.toMatch(/^\s*#/m);
  }
});

test('a field that costs a call is nullable', () => {
  const nullable = types.flatMap((type) =>
    isObjectType(type) && ['Query', 'Mutation'].includes(type.name)
      ? Object.values(type.getFields()).map((field) => [
          field.name,
          String(field.type).endsWith('!'),
        ])
      : [],
  );

  expect(Object.fromEntries(nullable)).toMatchObject({
    message: false,
    messages: false,
    nodes: true,
  });
  expect(nullable.filter(([, required]) => required)).toEqual([['nodes', true]]);
});
