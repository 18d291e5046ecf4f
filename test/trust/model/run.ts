import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { TestGateway } from '../../support/gateway.ts';
import { REPEAT } from '../arbitrary/operation.ts';
import type { Operation } from '../arbitrary/print-operation.ts';
import { compare, WHICH_SIDE } from '../oracle/compare.ts';
import type { OracleOptions } from '../oracle/fields.ts';
import { KINDS } from '../oracle/lists.ts';
import { expectedAnswer } from '../oracle/oracle.ts';
import type { Arguments, Item } from '../oracle/world.ts';
import { effectsOf, variantsIn } from './coverage.ts';
import type { Service } from './service.ts';
import type { Twin } from './twin.ts';

export interface Run {
  readonly service: Service;
  readonly gateway: TestGateway;
  readonly twin: Twin;
  readonly known: Omit<OracleOptions, 'world' | 'mutate'>;
  /** Collects everything that operations exercise. */
  readonly covered: Set<string>;
}

/** Sends an operation. Its answer, its cost and the writes that reach the service must be those of the twin. */
export async function runOperation(operation: Operation, run: Run): Promise<void> {
  const { service, gateway, twin, covered } = run;
  const { query, variables } = operation;
  const callsBefore = service.callCount();
  const ask = (extensions: Record<string, unknown>) =>
    gateway.ask(query, { token: service.token, variables, extensions });
  const { explain } = (await ask({ explain: true })).extensions;
  expect(service.callCount()).toBe(callsBefore);
  const answer = await ask({ cost: true });
  const predicted = await expectedAnswer(operation, toOracle(run));

  const { expected, actual } = compare(predicted, answer);
  expect(actual, WHICH_SIDE).toBe(expected);
  // The service answers every write, so no outcome is unknown.
  const errors = (answer.errors ?? []).map(({ extensions }) => extensions);
  expect(errors.filter(({ outcome }) => outcome)).toEqual([]);
  expect(service.writes).toEqual(twin.writes);
  const { cost } = answer.extensions;
  expect(cost.actual).toBe(service.callCount() - callsBefore);
  expect(cost.estimated).toBeGreaterThanOrEqual(cost.actual);
  expect(explain.most).toBeGreaterThanOrEqual(cost.actual);
  // A field that is refused for its arguments makes no call.
  if (errors.every(({ code }) => code !== 'BAD_USER_INPUT'))
    expect(explain.least).toBeLessThanOrEqual(cost.actual);

  for (const one of [...predicted.fields, ...twin.outcomes]) covered.add(one);
  if (answer.data?.[REPEAT]) covered.add(REPEAT);
}

/** Answers from the twin's world, so each mutation is visible from the next field on. */
const toOracle = ({ twin, known, covered }: Run): OracleOptions => ({
  get world() {
    return twin.world;
  },
  ...known,
  async mutate(field: string, input: Arguments) {
    const before = twin.world;
    const payload = await twin.mutate(field, input);
    const effects = effectsOf(before, twin.world).map((effect) => `${field}: ${effect}`);
    for (const one of [...variantsIn(field, input), ...effects]) covered.add(one);
    return payload;
  },
});

/** The service and its twin must hold the same objects in the same order. Shows only the differences. */
export async function expectSameState({ service, twin }: Run): Promise<void> {
  const actual = await service.readState();
  for (const list of KINDS) {
    const expected = twin.world[list];
    expect(differing(actual[list], expected)).toEqual(differing(expected, actual[list]));
  }
}

const differing = (some: readonly Item[], others: readonly Item[]): readonly Item[] =>
  some.filter((wire, index) => !isDeepStrictEqual(wire, others[index]));
