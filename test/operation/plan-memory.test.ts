import { getOperationAST, parse } from 'graphql';
import { expect, test } from 'vitest';
import { createPlan, type Plan } from '../../src/document/plan.ts';
import { createPrepare, type Prepared } from '../../src/document/prepare.ts';
import { createValidate } from '../../src/document/validate.ts';
import { createPlanMemory } from '../../src/operation/plan-memory.ts';
import { createSchema } from '../../src/resolvers/schema.ts';

const schema = createSchema();
const validate = createValidate({ schema, introspection: true });
const prepare = createPrepare({ trusted: null, validate });

function planOf(text: string): Plan {
  const prepared = prepare(parse(text), '') as Prepared;
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

/** The names that are kept when the plan of each was seen twice. */
function keptOf(names: readonly string[], plan: Plan): string[] {
  const memory = createPlanMemory();
  for (const name of [...names, ...names]) memory.saw(asked(name), plan);
  return names.filter((name) => memory.find(asked(name)) !== undefined);
}

test('long texts leave room for fewer plans, though a comment is one token', () => {
  const comment = '#'.repeat(2 ** 20);
  const names = Array.from({ length: 200 }, (_, index) => `${index}${comment}`);

  const kept = keptOf(names, planOf('{ __typename }'));

  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(70);
});

/** Each fragment spreads the next one three times, in fields of their own. */
const tripling = (levels: number) => {
  const fragments = Array.from({ length: levels }, (_, n) => {
    const link = `conversation { ${n + 1 < levels ? `...F${n + 1}` : 'id'} }`;
    return `fragment F${n} on Conversation {
      pinnedMessage { ${link} } messages { nodes { ${link} } edges { node { ${link} } } }
    }`;
  });
  return `query ($a: Boolean!, $b: Boolean!, $c: Boolean!) {
    conversation(id: "c") { ...F0 @include(if: $a) id @include(if: $b) nodeId @skip(if: $c) }
  } ${fragments.join(' ')}`;
};

test('plans of fragments that are spread again and again leave room for fewer', () => {
  const plan = planOf(tripling(7));
  plan.selectionFor({ a: true, b: true, c: true });
  const names = Array.from({ length: 50 }, (_, index) => `tripling ${index}`);

  const kept = keptOf(names, plan);

  expect(plan.countKept()).toBeGreaterThan(5000);
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(15);
});

test('a plan that grows with each combination of its variables is counted again, and grows up to a bound', () => {
  const memory = createPlanMemory();
  const names = Array.from({ length: 30 }, (_, index) => `growing ${index}`);
  const plans = names.map(() => planOf(tripling(6)));
  names.forEach((name, index) => {
    memory.saw(asked(name), plans[index] as Plan);
    memory.saw(asked(name), plans[index] as Plan);
  });

  for (let bits = 0; bits < 8; bits += 1) {
    const values = { a: bits % 2 > 0, b: bits % 4 > 1, c: bits > 3 };
    for (const name of names) memory.find(asked(name))?.selectionFor(values);
  }

  expect(Math.max(...plans.map((plan) => plan.countKept()))).toBeLessThanOrEqual(20_000);
  const kept = names.filter((name) => memory.find(asked(name)) !== undefined);
  expect(kept.length).toBeLessThan(20);
});
