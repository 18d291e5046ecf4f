import type { FieldCalls } from './price.ts';

/** The REST calls that one field may make, of all objects that have it. */
export interface ExplainedField {
  /** Its path in the document, without `nodes` and `edges`: `conversations.messages`. */
  readonly field: string;
  /** The fewest calls that the field makes. A field that is refused for its arguments makes none. */
  readonly least: number;
  /** The most that it makes if each page comes as asked for, from the end of the list that is read first. */
  readonly usual: number;
  /** The most that it makes: pages may need further calls. */
  readonly most: number;
  /** Fields that wait for its answers. All of them make their calls together. */
  readonly then: readonly ExplainedField[];
}

/** What an operation may cost, before its first call. Fields of one list make their calls together; those of a mutation do not. */
export interface Explanation extends Omit<ExplainedField, 'field' | 'then'> {
  readonly calls: readonly ExplainedField[];
}

/** The calls of an operation as a tree. `maxCalls`: what an operation may make. */
export function toExplanation(
  byPath: ReadonlyMap<string, FieldCalls>,
  maxCalls: number,
): Explanation {
  const calls: ExplainedField[] = [];
  const total = { least: 0, usual: 0, most: 0 };
  const made = new Map<string, ExplainedField[]>();
  for (const [field, { least, expected, slack }] of byPath) {
    const then: ExplainedField[] = [];
    made.set(field, then);
    const most = Math.min(expected + slack, maxCalls);
    above(field).push({ field, least, usual: expected, most, then });
    total.least += least;
    total.usual += expected;
    total.most = Math.min(total.most + most, maxCalls);
  }
  return { ...total, calls };

  /** The fields of which the nearest field above waits for calls. */
  function above(field: string): ExplainedField[] {
    const end = field.lastIndexOf('.');
    if (end === -1) return calls;
    const path = field.slice(0, end);
    return made.get(path) ?? above(path);
  }
}
