import { type Document, NAMES, type Operation } from './document.ts';
import type { Rig } from './rig.ts';

/** What a request gives for one variable, for each type that the variable may have. */
export interface Value {
  readonly flag: boolean;
  readonly text: string;
  readonly count: number;
  readonly json: unknown;
  /** `other`: a value of another type. */
  readonly fit: 'fits' | 'missing' | 'null' | 'other';
}

/** A request, sent once or several times. */
export interface Step {
  readonly who: 'A' | 'B';
  /** Chooses an operation of the document. */
  readonly operation: number;
  readonly values: readonly [Value, Value, Value];
  /** In the process, over HTTP, or over HTTP with the hash of the document. */
  readonly way: 'execute' | 'http' | 'hash';
  readonly times: number;
  /** Whether it runs at the same time as the next request of B, instead of before. */
  readonly isBeside: boolean;
  readonly hasToken: boolean;
}

/** B sends one or two requests, and A others with the same document: before, between and beside them. */
export interface Pair {
  /** Chooses one of the session's documents. */
  readonly document: number;
  readonly before: readonly Step[];
  readonly first: Step;
  readonly between: readonly Step[];
  readonly second: Step | null;
}

/** Pairs that share gateways, a service and documents. */
export interface Session {
  readonly rig: Rig;
  readonly documents: readonly Document[];
  readonly pairs: readonly Pair[];
}

/** The variables of a request for an operation. */
export function toVariables(
  { variables }: Operation,
  values: Step['values'],
): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const [place, { kind }] of variables.entries()) {
    const value = values[place];
    const name = NAMES[place];
    if (value === undefined || name === undefined || value.fit === 'missing') continue;
    // A variable that the operation does not declare is sent as well: clients do that.
    given[name] = toValue(kind === 'none' ? 'text' : kind, value);
  }
  return given;
}

function toValue(
  kind: 'flag' | 'id' | 'text' | 'count' | 'json',
  { flag, text, count, json, fit }: Value,
): unknown {
  if (fit === 'null') return null;
  if (fit === 'other') return kind === 'flag' ? text : { toString: 1, valueOf: 1 };
  return { flag, id: text, text, count, json }[kind];
}
