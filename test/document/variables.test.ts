import fc from 'fast-check';
import { getVariableValues, Kind, parse, type VariableDefinitionNode } from 'graphql';
import { expect, test } from 'vitest';
import { createVariableReader } from '../../src/document/variables.ts';
import { resources } from '../../src/messaging/index.ts';
import { createSchema } from '../../src/resolvers/schema.ts';
import { runParameters, timeoutFor } from '../trust/runs.ts';

const schema = createSchema(resources);
const RUNS = runParameters(600);

const TYPES = [
  'Int',
  'Int!',
  'Int = 3',
  'String',
  'String! = "x"',
  'ID!',
  '[ID!]',
  '[ID!]!',
  'Boolean! = true',
  'Timestamp',
  'JSON',
  '[JSON!] = [1]',
  'SendMessageInput',
  'SendMessageInput!',
  '[ReactionInput!]',
  'UpdateMessageInput = { id: "m1", message: "x" }',
];
const NAMES = ['a', 'b', '__proto__', 'constructor'];

const definitions = fc
  .uniqueArray(
    fc.record({ name: fc.constantFrom(...NAMES), type: fc.constantFrom(...TYPES) }),
    { selector: ({ name }) => name, minLength: 1 },
  )
  .map((all) => all.map(({ name, type }) => `$${name}: ${type}`).join(', '));

const value = fc.oneof(
  fc.constantFrom<unknown>(null, 'm1', 1, 1.5, 2 ** 40, true, [], ['m1'], [null], {}),
  fc.record(
    { conversationId: fc.constantFrom('c1', null, 1), message: fc.constant('x') },
    { requiredKeys: [] },
  ),
  fc.record(
    {
      id: fc.constant('m1'),
      message: fc.constantFrom('x', null),
      reactions: fc.constantFrom([], null, [{ name: 'a', usernames: 'b' }]),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
/** As a body is parsed: `__proto__` is a field like others. */
const given = fc
  .array(fc.tuple(fc.constantFrom(...NAMES), value), { maxLength: 3 })
  .map(
    (pairs) =>
      JSON.parse(
        `{${pairs.map(([name, one]) => `"${name}":${JSON.stringify(one)}`).join()}}`,
      ) as Record<string, unknown>,
  );

function definitionsOf(text: string): readonly VariableDefinitionNode[] {
  const [operation] = parse(`query (${text}) { __typename }`).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation');
  return operation.variableDefinitions ?? [];
}

test('variables are read as graphql reads them', {
  timeout: timeoutFor(RUNS.numRuns),
}, () => {
  let valid = 0;
  fc.assert(
    fc.property(
      definitions,
      fc.array(given, { minLength: 1, maxLength: 3 }),
      (text, requests) => {
        const nodes = definitionsOf(text);
        const read = createVariableReader(schema, nodes);
        for (const sent of requests) {
          const expected = getVariableValues(schema, nodes, sent, { maxErrors: 50 });
          const { values, errors } = read(sent);
          if (values !== undefined) valid += 1;
          expect(values === undefined ? undefined : Object.entries(values)).toEqual(
            expected.coerced === undefined ? undefined : Object.entries(expected.coerced),
          );
          expect(errors?.map(({ message }) => message)).toEqual(
            expected.errors?.map(({ message }) => message),
          );
        }
      },
    ),
    RUNS,
  );
  expect(valid).toBeGreaterThan(RUNS.numRuns / 10);
});
