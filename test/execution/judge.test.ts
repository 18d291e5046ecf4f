import { setImmediate } from 'node:timers/promises';
import { makeExecutableSchema } from '@graphql-tools/schema';
import fc from 'fast-check';
import {
  execute,
  type GraphQLError,
  type GraphQLSchema,
  getIntrospectionQuery,
  getOperationAST,
  NoUnusedFragmentsRule,
  NoUnusedVariablesRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { expect, test } from 'vitest';
import { createArgumentReader } from '../../src/document/arguments.ts';
import { createPlan, type Plan } from '../../src/document/plan.ts';
import { createPrepare, isRefused } from '../../src/document/prepare.ts';
import { executePlanned } from '../../src/execution/execute.ts';
import { resources } from '../../src/messaging/index.ts';
import { createExecutableSchema, createSchema } from '../../src/resolvers/schema.ts';
import { runParameters, timeoutFor } from '../trust/runs.ts';
import { randomDocument } from './random-document.ts';
import { type Behaviour, createRandomSchema } from './random-schema.ts';

const schema = createRandomSchema();
// Without the two rules that random documents break, documents are validated below.
const prepare = createPrepare(null, () => [], 'attachments');
const RUNS = runParameters(700);

const variables = fc.constantFrom<Record<string, unknown>>(
  { no: false },
  { no: true, yes: false, first: 1, id: 'x' },
  { no: false, yes: true, first: null, id: null },
);

/** Plans are shared by requests, so each document is executed with several behaviours and variables. */
const requests = fc.array(
  fc.record({
    seed: fc.nat(),
    isAsync: fc.boolean(),
    waitsBefore: fc.constantFrom(0, 1, 3),
    variables,
  }),
  { minLength: 1, maxLength: 4 },
);

// security: large-answer
test('a planned operation is executed as graphql executes it', {
  timeout: timeoutFor(RUNS.numRuns),
}, async () => {
  let executed = 0;
  await fc.assert(
    fc.asyncProperty(randomDocument(schema), requests, async (text, sent) => {
      const plan = planOf(schema, text);
      if (plan === null) return;
      for (const { variables, waitsBefore, ...behaviour } of sent) {
        const planned = await runPlanned(plan, variables, behaviour, { waitsBefore });
        const expected = await execute({
          schema,
          document: plan.prepared.document,
          contextValue: behaviour,
          variableValues: variables,
        });
        executed += 1;
        if (planned === null) {
          expect(expected.data).toBeUndefined();
          continue;
        }
        expect(JSON.stringify(planned.data)).toBe(JSON.stringify(expected.data));
        const isLate = behaviour.isAsync || waitsBefore > 0;
        const show = isLate ? decidingErrors : inOrder;
        expect(show(planned.errors, planned.data)).toEqual(
          show(expected.errors ?? [], expected.data),
        );
        expect(planned.size).toBeGreaterThanOrEqual(
          Buffer.byteLength(JSON.stringify(planned.data)),
        );
      }
    }),
    RUNS,
  );
  expect(executed).toBeGreaterThan(RUNS.numRuns / 2);
});

const RULES = specifiedRules.filter(
  (rule) => rule !== NoUnusedFragmentsRule && rule !== NoUnusedVariablesRule,
);

/** Null for a document that is not valid. */
function planOf(schema: GraphQLSchema, text: string): Plan | null {
  const document = parse(text);
  // A conflict of aliases, for example.
  if (validate(schema, document, RULES).length > 0) return null;
  const prepared = prepare(document, '');
  if (isRefused(prepared)) return null;
  const operation = getOperationAST(prepared.document);
  return operation ? createPlan(schema, prepared, operation) : null;
}

/** Null if the variables do not fit. */
async function runPlanned(
  plan: Plan,
  given: Record<string, unknown>,
  contextValue: Behaviour,
  { of = schema, waitsBefore = 0 }: { of?: GraphQLSchema; waitsBefore?: number } = {},
) {
  const { values } = plan.readVariables(given);
  if (values === undefined) return null;
  return executePlanned({
    schema: of,
    operation: plan.operation,
    fragments: plan.prepared.fragments,
    selection: plan.selectionFor(values),
    variableValues: values,
    argumentsOf: createArgumentReader(plan.plannedArguments, values),
    contextValue,
    turn: giveTurns(waitsBefore),
    maxBytes: Number.MAX_SAFE_INTEGER,
  });
}

/** Lets others have their turn before every so many values; 0: never. */
function giveTurns(waitsBefore: number): () => Promise<void> | undefined {
  let count = 0;
  return () => {
    count += 1;
    return waitsBefore > 0 && count % waitsBefore === 0 ? setImmediate() : undefined;
  };
}

const inOrder = (errors: readonly GraphQLError[]) =>
  errors.map(({ message, path, locations, originalError }) => ({
    message: isOwn(message) ? 'a type that does not fit' : message,
    path,
    locations,
    hasOriginal: originalError !== undefined,
  }));

/** Our text for a resolver that names a wrong type is shorter than those of graphql. It is a bug, whose text no client sees. */
const isOwn = (message: string) =>
  /^(?:A value of|Abstract type|Runtime Object type)/.test(message);

/**
 * The errors that made a value null which the answer shows, in the order of their paths. Which errors inside a value that became
 * null are listed beside them depends on which came first.
 */
const decidingErrors = (errors: readonly GraphQLError[], data: unknown) =>
  inOrder(errors.filter(({ path = [] }) => valueAt(data, path) === null)).sort((a, b) =>
    String(a.path).localeCompare(String(b.path)),
  );

/** Undefined inside a value that is null. */
const valueAt = (data: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce(
    (value: unknown, key) =>
      value == null ? undefined : (value as Record<string | number, unknown>)[key],
    data,
  );

test('introspection is executed as graphql executes it', async () => {
  const text = getIntrospectionQuery({
    inputValueDeprecation: true,
    schemaDescription: true,
  });
  const schemas = [
    { one: schema, shown: schema },
    { one: createExecutableSchema({ resources }), shown: createSchema(resources) },
  ];
  for (const { one, shown } of schemas) {
    const plan = planOf(one, text);
    if (plan === null) throw new Error('The query of introspection is valid.');
    const planned = await runPlanned(plan, {}, { seed: 0, isAsync: false }, { of: one });
    const expected = await execute({ schema: shown, document: plan.prepared.document });

    expect(JSON.stringify(planned?.data)).toBe(JSON.stringify(expected.data));
    expect(planned?.errors).toEqual([]);
  }
});

test('a field of a mutation begins when the one before has ended as a whole, also if a part of that has failed', async () => {
  const steps: string[] = [];
  const step = (name: string, value: () => unknown) => async () => {
    await setImmediate();
    steps.push(name);
    return value();
  };
  const fail = () => {
    throw new Error('failed');
  };
  const of = makeExecutableSchema({
    typeDefs: `type Query { none: Int }  type Mutation { first: Item  second: Item }
      type Item { broken: Int!  link: Item }`,
    resolvers: {
      Mutation: { first: step('first', Object), second: step('second', Object) },
      Item: { broken: step('broken', fail), link: step('link', Object) },
    },
  });
  const text =
    'mutation { first { broken link { link { __typename } } } second { __typename } }';
  const plan = planOf(of, text);
  if (plan === null) throw new Error('The mutation is valid.');
  const planned = await runPlanned(plan, {}, { seed: 0, isAsync: false }, { of });

  expect(steps).toEqual(['first', 'broken', 'link', 'link', 'second']);
  expect(planned?.data).toEqual({ first: null, second: { __typename: 'Item' } });
  expect(planned?.errors.map(({ path }) => path)).toEqual([['first', 'broken']]);
});
