import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { Operation } from '../arbitrary/print-operation.ts';
import { compare } from '../oracle/compare.ts';
import { expectAnswer } from '../oracle/oracle.ts';
import type { Arguments } from '../oracle/values.ts';
import type { Wire, World } from '../oracle/world.ts';
import { TWIN } from './coverage.ts';
import { effectsOf } from './effects.ts';
import { waysIn } from './input-coverage.ts';
import type { Model } from './model.ts';
import type { Scene } from './scene.ts';

export interface Stage {
  readonly scene: Scene;
  /** Of the service of the scene. */
  readonly model: Model;
  readonly perMillisecond: number | null;
  /** Is told what has been exercised. */
  readonly seen: Set<string>;
}

/** Sends an operation; what comes back, what it cost and what was called must be as the model says. */
export async function carryOut(operation: Operation, stage: Stage): Promise<void> {
  const { scene, model, seen } = stage;
  const { query, variables } = operation;
  const callsBefore = scene.callCount();
  const answer = await scene.gateway.ask(query, {
    token: scene.token,
    variables,
    extensions: { cost: true },
  });
  const due = expectAnswer(operation, toOracle(stage));

  const { expected, actual } = compare(due, answer);
  expect(actual).toBe(expected);
  // What the service has refused was not carried out, and nothing is in doubt.
  const doubtful = (answer.errors ?? []).filter(({ extensions }) => extensions.outcome);
  expect(doubtful).toEqual([]);
  expect(scene.writes).toEqual(model.calls);
  const { cost } = answer.extensions;
  expect(cost.actual).toBe(scene.callCount() - callsBefore);
  expect(cost.estimated).toBeGreaterThanOrEqual(cost.actual);

  for (const one of [...due.fields, ...model.outcomes]) seen.add(one);
  if (answer.data?.twin) seen.add(TWIN);
}

/** The world of the model, where each mutation shows from the next field on. */
const toOracle = ({ model, perMillisecond, seen }: Stage) => ({
  get world() {
    return model.world;
  },
  perMillisecond,
  mutate(field: string, input: Arguments) {
    const before = model.world;
    const payload = model.mutate(field, input);
    const effects = effectsOf(before, model.world).map((effect) => `${field}: ${effect}`);
    for (const one of [...waysIn(field, input), ...effects]) seen.add(one);
    return payload;
  },
});

/** Both lists whole, in their order; only what differs is shown. */
export async function expectHeld({ scene, model }: Stage): Promise<void> {
  const held = await scene.held();
  for (const list of ['messages', 'conversations'] satisfies (keyof World)[]) {
    const due = model.world[list];
    expect(differing(held[list], due)).toEqual(differing(due, held[list]));
  }
}

const differing = (some: readonly Wire[], others: readonly Wire[]): readonly Wire[] =>
  some.filter((wire, index) => !isDeepStrictEqual(wire, others[index]));
