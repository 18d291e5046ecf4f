import { expect, test } from 'vitest';
import type { Plan } from '../../src/document/plan.ts';
import { resources } from '../../src/messaging/index.ts';
import { createPlanMemory } from '../../src/operation/plan-memory.ts';
import { createSchema } from '../../src/resolvers/schema.ts';
import { planOf } from '../support/plan.ts';

const schema = createSchema(resources);

/** A memory that is asked for plans by the texts of their documents. */
function createMemory() {
  const memory = createPlanMemory();
  return {
    saw: (query: string, plan: Plan) => memory.saw({ query }, query, plan),
    find(query: string, operationName?: string): Plan | undefined {
      const body = { query, operationName };
      return memory.find({ method: 'POST', search: '', body })?.plan;
    },
  };
}

test('a plan is kept when its operation is executed for the second time, under its name', () => {
  const memory = createMemory();
  const plan = planOf(schema, '{ __typename }');

  memory.saw('a', plan);
  expect(memory.find('a')).toBeUndefined();
  memory.saw('a', plan);
  expect(memory.find('a')).toBe(plan);
  expect(memory.find('a', 'Other')).toBeUndefined();
});

test('a plan that is used stays, and what is not used makes room', () => {
  const memory = createMemory();
  const plan = planOf(schema, '{ __typename }');
  const saw = (name: string) => {
    memory.saw(name, plan);
    memory.saw(name, plan);
  };
  saw('used');
  saw('unused');

  for (let count = 0; count < 10_000; count += 1) {
    saw(`another ${count}`);
    expect(memory.find('used')).toBe(plan);
  }

  expect(memory.find('unused')).toBeUndefined();
  expect(memory.find('another 0')).toBeUndefined();
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

// security: kept-plans
test.each([
  ['tokens', `{ ${'__typename '.repeat(9000)} }`, '', 15],
  // A comment is one token. A persisted operation has a short key.
  ['characters', `#${'#'.repeat(2 ** 20)}\n{ __typename }`, '', 70],
  ['characters in their keys', '{ __typename }', '#'.repeat(2 ** 20), 70],
  ['selections, in fragments that are spread again and again', tripling(7), '', 15],
])('plans of many %s leave room for fewer', (_, text, comment, atMost) => {
  const memory = createMemory();
  const plan = planOf(schema, text);
  plan.selectionFor({ a: true, b: true, c: true });
  const names = Array.from({ length: 100 }, (_, index) => `${index}${comment}`);

  for (const name of [...names, ...names]) memory.saw(name, plan);

  const kept = names.filter((name) => memory.find(name) !== undefined);
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(atMost);
});

// security: kept-plans
test('a plan that grows with each combination of its variables is counted again, and grows up to a bound', () => {
  const memory = createMemory();
  const names = Array.from({ length: 30 }, (_, index) => `growing ${index}`);
  const plans = names.map(() => planOf(schema, tripling(6)));
  for (const name of [...names, ...names])
    memory.saw(name, plans[names.indexOf(name)] as Plan);

  for (let bits = 0; bits < 8; bits += 1) {
    const values = { a: bits % 2 > 0, b: bits % 4 > 1, c: bits > 3 };
    for (const name of names) memory.find(name)?.selectionFor(values);
  }

  expect(Math.max(...plans.map((plan) => plan.countKept()))).toBeLessThanOrEqual(20_000);
  const kept = names.filter((name) => memory.find(name) !== undefined);
  expect(kept.length).toBeLessThan(20);
});
