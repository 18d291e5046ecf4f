import { buildSchema, type GraphQLSchema, graphql } from 'graphql';
import { expect, test } from 'vitest';
import { createFieldErrors, limitFieldErrors } from '../../src/resolvers/field-errors.ts';
import { BadInputError } from '../../src/rest/errors.ts';

/** A field that fails at once, and one that fails later. */
function createFailing(error: Error): GraphQLSchema {
  const schema = buildSchema('type Query { now: Int later: Int }');
  const { now, later } = schema.getQueryType()?.getFields() ?? {};
  if (!now || !later) throw new Error('The schema has other fields.');
  now.resolve = () => {
    throw error;
  };
  later.resolve = async () => {
    throw error;
  };
  limitFieldErrors(schema);
  return schema;
}

const ask = (schema: GraphQLSchema) =>
  graphql({
    schema,
    source: '{ a: now b: later }',
    contextValue: { fieldErrors: createFieldErrors() },
  });

test('an expected error of a field has its place and no stack', async () => {
  const cause = new BadInputError('No such thing.');
  const { data, errors = [] } = await ask(createFailing(cause));

  expect({ ...data }).toEqual({ a: null, b: null });
  expect(errors.map(({ path }) => path)).toEqual([['a'], ['b']]);
  expect(errors.map(({ locations }) => locations?.[0]?.column)).toEqual([3, 10]);
  for (const error of errors) {
    expect(error.message).toBe('No such thing.');
    expect(error.originalError).toBe(cause);
    expect(error.stack).not.toMatch(/^ {4}at /m);
  }
});

test('a bug keeps its stack', async () => {
  const { errors = [] } = await ask(createFailing(new TypeError('A bug.')));

  expect(errors).toHaveLength(2);
  for (const error of errors) expect(error.originalError?.stack).toMatch(/^ {4}at /m);
});
