import type { GraphqlAnswer } from '../../support/gateway.ts';
import type { Expected } from './oracle.ts';
import { CursorOf } from './values.ts';
import type { Place } from './world.ts';

export interface Comparison {
  /** Two texts that are equal when the answer is the expected one, to the order of its keys. */
  readonly expected: string;
  readonly actual: string;
  /** The cursors of the answer, and the items they must lie at. */
  readonly cursors: readonly (readonly [cursor: string, place: Place])[];
}

/** Puts what was expected and what came side by side; any text will do for a cursor, and is remembered. */
export function compare(expected: Expected, answer: GraphqlAnswer): Comparison {
  const cursors: [string, Place][] = [];
  const data = fill(expected.data, answer.data, cursors);
  const { codes, twice } = codesOf(answer);
  return {
    expected: JSON.stringify(
      { status: 200, data, codes: sorted(expected.codes), twice: [] },
      null,
      1,
    ),
    actual: JSON.stringify(
      { status: answer.status, data: answer.data, codes, twice },
      null,
      1,
    ),
    cursors,
  };
}

/** The expected value, with the actual cursors in their places. */
function fill(expected: unknown, actual: unknown, cursors: [string, Place][]): unknown {
  if (expected instanceof CursorOf) {
    if (typeof actual !== 'string' || actual === '') return 'a cursor';
    cursors.push([actual, expected]);
    return actual;
  }
  if (typeof expected !== 'object' || expected === null) return expected;
  if (Array.isArray(expected)) {
    return expected.map((item, index) => fill(item, at(actual, index), cursors));
  }
  const filled: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(expected)) {
    filled[key] = fill(value, at(actual, key), cursors);
  }
  return filled;
}

const at = (value: unknown, key: string | number): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string | number, unknown>)[key]
    : undefined;

/** Codes by path, and paths that have more than one error. */
function codesOf({ errors = [] }: GraphqlAnswer) {
  const paths = errors.map(({ path = [] }) => path.join('.'));
  const codes = errors.map(({ path = [], extensions }) => {
    return [path.join('.'), extensions.code] as const;
  });
  return {
    codes: sorted(new Map(codes)),
    twice: paths.filter((path, index) => paths.indexOf(path) !== index),
  };
}

const sorted = (codes: ReadonlyMap<string, string>) =>
  [...codes].toSorted(([a], [b]) => (a < b ? -1 : 1));
