import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { REPEAT } from '../arbitrary/operation.ts';
import type { Operation } from '../arbitrary/print-operation.ts';
import { compare } from '../oracle/compare.ts';
import type { OracleOptions } from '../oracle/fields.ts';
import { expectedAnswer } from '../oracle/oracle.ts';
import type { Arguments } from '../oracle/values.ts';
import type { Item, World } from '../oracle/world.ts';
import { effectsOf, variantsIn } from './coverage.ts';
import type { Fixture } from './fixture.ts';
import type { Model } from './model.ts';

export interface ModelRun {
  readonly fixture: Fixture;
  /** A model of the fixture's service. */
  readonly model: Model;
  readonly unit: Pick<OracleOptions, 'timestampUnit' | 'isUnitConfigured'>;
  /** Collects everything that operations exercise. */
  readonly covered: Set<string>;
}

/** Sends an operation. Its answer, its cost and the writes that reach the service must be those of the model. */
export async function runOperation(operation: Operation, run: ModelRun): Promise<void> {
  const { fixture, model, covered } = run;
  const { query, variables } = operation;
  const callsBefore = fixture.callCount();
  const answer = await fixture.gateway.ask(query, {
    token: fixture.token,
    variables,
    extensions: { cost: true },
  });
  const predicted = expectedAnswer(operation, toOracle(run));

  const { expected, actual } = compare(predicted, answer);
  expect(actual).toBe(expected);
  // The service answers every write, so no outcome is unknown.
  const unknown = (answer.errors ?? []).filter(({ extensions }) => extensions.outcome);
  expect(unknown).toEqual([]);
  expect(fixture.writes).toEqual(model.calls);
  const { cost } = answer.extensions;
  expect(cost.actual).toBe(fixture.callCount() - callsBefore);
  expect(cost.estimated).toBeGreaterThanOrEqual(cost.actual);

  for (const one of [...predicted.fields, ...model.outcomes]) covered.add(one);
  if (answer.data?.[REPEAT]) covered.add(REPEAT);
}

/** Answers from the model's world, so each mutation is visible from the next field on. */
const toOracle = ({ model, unit, covered }: ModelRun) => ({
  get world() {
    return model.world;
  },
  ...unit,
  mutate(field: string, input: Arguments) {
    const before = model.world;
    const payload = model.mutate(field, input);
    const effects = effectsOf(before, model.world).map((effect) => `${field}: ${effect}`);
    for (const one of [...variantsIn(field, input), ...effects]) covered.add(one);
    return payload;
  },
});

/** The service and the model must hold the same objects in the same order. Shows only the differences. */
export async function expectSameState({ fixture, model }: ModelRun): Promise<void> {
  const actual = await fixture.readState();
  for (const list of ['messages', 'conversations'] satisfies (keyof World)[]) {
    const expected = model.world[list];
    expect(differing(actual[list], expected)).toEqual(differing(expected, actual[list]));
  }
}

const differing = (some: readonly Item[], others: readonly Item[]): readonly Item[] =>
  some.filter((wire, index) => !isDeepStrictEqual(wire, others[index]));
