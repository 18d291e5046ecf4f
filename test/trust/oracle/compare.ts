import type { GraphqlAnswer } from '../../support/gateway.ts';
import type { Expected } from './oracle.ts';
import { type Position, positionOf } from './world.ts';

export interface Comparison {
  /** Two texts that are equal if the answer is as expected, the order of keys included. */
  readonly expected: string;
  readonly actual: string;
  /** The cursors in the answer, with the items that they must belong to. */
  readonly cursors: readonly (readonly [cursor: string, position: Position])[];
}

/** What a failure says first. */
export const WHICH_SIDE =
  "the gateway's answer (received) is not what test/trust/oracle computes from the data (expected). To see which is wrong, look the value up in schema.graphql and docs/interface.md, not in src: where the gateway is right, mend test/trust/oracle (a new field belongs into fields.ts), otherwise src";

/** Compares an answer with the expected one. Any non-empty text passes as a cursor; the caller can check it later. */
export function compare(expected: Expected, answer: GraphqlAnswer): Comparison {
  const cursors: [string, Position][] = [];
  const nulls: string[] = [];
  const data = fill(expected.data, answer.data, { path: '', expected, cursors, nulls });
  const codes = sorted(expected.codes).filter(
    ([path]) => !nulls.some((above) => path.startsWith(`${above}.`)),
  );
  const actual = codesOf(answer);
  return {
    expected: toText({ status: 200, data, codes, repeated: [] }),
    actual: toText({ status: answer.status, data: answer.data, ...actual }),
    cursors,
  };
}

const toText = (value: object): string => JSON.stringify(value, null, 1);

interface Place {
  readonly path: string;
  readonly expected: Expected;
  readonly cursors: [string, Position][];
  /** The paths at which the answer is null, as it may be. */
  readonly nulls: string[];
}

/** The expected value, with the actual cursors filled in, and null where it may be and is. */
function fill(expected: unknown, actual: unknown, place: Place): unknown {
  if (actual === null && place.expected.mayBeNull.has(place.path)) {
    // Not if it must fail: then its error is expected, too.
    if (!place.expected.codes.has(place.path)) place.nulls.push(place.path);
    return null;
  }
  const position = positionOf(expected);
  if (position !== null) {
    if (typeof actual !== 'string' || actual === '') return 'a cursor';
    place.cursors.push([actual, position]);
    return actual;
  }
  if (typeof expected !== 'object' || expected === null) return expected;
  const fillAt = (value: unknown, key: string | number) => {
    const path = place.path === '' ? `${key}` : `${place.path}.${key}`;
    return fill(value, at(actual, key), { ...place, path });
  };
  if (Array.isArray(expected)) return expected.map(fillAt);
  const filled: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(expected)) filled[key] = fillAt(value, key);
  return filled;
}

const at = (value: unknown, key: string | number): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string | number, unknown>)[key]
    : undefined;

/** Error codes by path, and the paths that have more than one error. */
function codesOf({ errors = [] }: GraphqlAnswer) {
  const paths = errors.map(({ path = [] }) => path.join('.'));
  const codes = errors.map(({ path = [], extensions }) => {
    return [path.join('.'), extensions.code] as const;
  });
  return {
    codes: sorted(new Map(codes)),
    repeated: paths.filter((path, index) => paths.indexOf(path) !== index),
  };
}

const sorted = (codes: ReadonlyMap<string, unknown>) =>
  [...codes].toSorted(([a], [b]) => (a < b ? -1 : 1));
