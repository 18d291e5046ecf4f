import { getOperationAST, parse } from 'graphql';
import { expect, test } from 'vitest';
import { createPlan, type Plan } from '../../src/document/plan.ts';
import { createPrepare, type Prepared } from '../../src/document/prepare.ts';
import { createPlanMemory } from '../../src/operation/plan-memory.ts';
import { createSchema } from '../../src/resolvers/schema.ts';

const schema = createSchema();

function planOf(text: string): Plan {
  const prepared = createPrepare(null)(parse(text), '') as Prepared;
  const operation = getOperationAST(prepared.document);
  if (!operation) throw new Error('no operation');
  return createPlan(schema, prepared, operation);
}

const asked = (document: string) => ({ document, operationName: null, hash: document });

test('a plan is kept when its operation is executed for the second time', () => {
  const memory = createPlanMemory();
  const plan = planOf('{ __typename }');

  memory.saw(asked('a'), plan);
  expect(memory.find(asked('a'))).toBeUndefined();
  memory.saw(asked('a'), plan);
  expect(memory.find(asked('a'))).toBe(plan);
});

test('operations of one document have a plan each', () => {
  const memory = createPlanMemory();
  const plan = planOf('{ __typename }');
  memory.saw(asked('a'), plan);
  memory.saw(asked('a'), plan);

  expect(memory.find({ document: 'a', operationName: 'Other' })).toBeUndefined();
});

test('operations that are sent once push no plan out', () => {
  const memory = createPlanMemory();
  const plan = planOf('{ __typename }');
  memory.saw(asked('used'), plan);
  memory.saw(asked('used'), plan);

  for (let count = 0; count < 50_000; count += 1)
    memory.saw(asked(`once ${count}`), plan);

  expect(memory.find(asked('used'))).toBe(plan);
});

test('a plan that is used stays, and what is not used makes room', () => {
  const memory = createPlanMemory();
  const plan = planOf('{ __typename }');
  const saw = (name: string) => {
    memory.saw(asked(name), plan);
    memory.saw(asked(name), plan);
  };
  saw('used');
  saw('unused');

  for (let count = 0; count < 10_000; count += 1) {
    saw(`another ${count}`);
    expect(memory.find(asked('used'))).toBe(plan);
  }

  expect(memory.find(asked('unused'))).toBeUndefined();
  expect(memory.find(asked('another 0'))).toBeUndefined();
});

test('long documents leave room for fewer plans', () => {
  const memory = createPlanMemory();
  const long = planOf(`{ ${'__typename '.repeat(9000)} }`);
  const names = Array.from({ length: 50 }, (_, index) => `long ${index}`);
  for (const name of [...names, ...names]) memory.saw(asked(name), long);

  const kept = names.filter((name) => memory.find(asked(name)) !== undefined);

  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(15);
});
