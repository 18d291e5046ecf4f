import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/document/plan.ts';
import { resources } from '../../src/messaging/index.ts';
import { createSchema } from '../../src/resolvers/schema.ts';
import { planOf } from '../support/plan.ts';

const schema = createSchema(resources);

/** The names of the root fields that a request with these variables selects. */
const selectedBy = (plan: Plan, values: Record<string, unknown>): string[] =>
  plan
    .selectionFor(values)
    .fieldsOf(plan.operation.selectionSet)
    .map(({ name, alias }) => (alias ?? name).value);

describe('what a plan keeps of a request', () => {
  // security: variables-of-another
  test('is told apart by the conditions of its own operation, in its fragments too', () => {
    const plan = planOf(
      schema,
      `query A($x: Boolean!, $y: Boolean = true, $id: ID!) { a: message(id: $id) @skip(if: $x) { id } ...F }
       query B($id: Boolean!) { b: __typename @skip(if: $id) }
       fragment F on Query { f: __typename @include(if: $y) }`,
      'A',
    );
    const first = { x: true, y: true, id: 'one' };

    expect(selectedBy(plan, first)).toEqual(['f']);
    expect(selectedBy(plan, { x: false, y: false, id: 'one' })).toEqual(['a']);
    expect(selectedBy(plan, { x: true, y: false, id: 'one' })).toEqual([]);
    expect(plan.selectionFor({ ...first, id: 'two' })).toBe(plan.selectionFor(first));
    expect(plan.countKept()).toBe(3 * plan.prepared.selections);
  });

  // security: variables-of-another
  test('holds no value that is no Boolean, and is not asked for its text', () => {
    const plan = planOf(
      schema,
      'query ($x: Boolean = true) { a: __typename @skip(if: $x) }',
    );

    expect(() => selectedBy(plan, { x: null })).toThrow('if');
    for (const x of ['true', { toString: 1, valueOf: 1 }]) plan.selectionFor({ x });
    expect(plan.countKept()).toBe(0);
  });

  test('is of the combinations that were used last, at most sixteen', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const plan = planOf(
      schema,
      `query (${names.map((name) => `$${name}: Boolean!`)}) {
        ${names.map((name) => `${name}: __typename @include(if: $${name})`).join(' ')}
      }`,
    );
    const valuesOf = (bits: number) =>
      Object.fromEntries(names.map((name, at) => [name, (bits & (1 << at)) !== 0]));
    const used = plan.selectionFor(valuesOf(31));

    for (let bits = 0; bits < 31; bits += 1) {
      const selected = names.filter((name) => valuesOf(bits)[name]);
      expect(selectedBy(plan, valuesOf(bits))).toEqual(selected);
      expect(plan.selectionFor(valuesOf(31))).toBe(used);
    }

    expect(plan.countKept()).toBe(16 * names.length);
    const last = plan.selectionFor(valuesOf(30));
    expect(plan.selectionFor(valuesOf(30))).toBe(last);
    expect(plan.countKept()).toBe(16 * names.length);
  });

  test('is nothing if there are more conditions than bits', () => {
    const names = Array.from({ length: 31 }, (_, index) => `v${index}`);
    const plan = planOf(
      schema,
      `query (${names.map((name) => `$${name}: Boolean!`)}) {
        ${names.map((name) => `${name}: __typename @include(if: $${name})`).join(' ')}
      }`,
    );
    const values = Object.fromEntries(names.map((name) => [name, name === 'v30']));

    expect(selectedBy(plan, values)).toEqual(['v30']);
    expect(plan.countKept()).toBe(0);
  });
});
