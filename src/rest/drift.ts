/** A field that the interface does not name, a field of it that is missing, or a header that announces the end of a call. */
export interface Drift {
  /** The object's name in the interface text, `Message`; of a header, the call. */
  readonly object: string;
  /** Of a header, its value. */
  readonly field: string;
  readonly kind: 'unknown' | 'missing' | 'deprecation' | 'sunset';
}

/** How often the service's objects differed from the interface, by object and field. */
export interface DriftCount extends Drift {
  readonly count: number;
}

export type ReportDrift = (drift: Drift) => void;

export type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'array';

/** The fields that the interface names for an object. */
export interface Shape {
  readonly object: string;
  readonly fields: readonly string[];
  /** The type of each field that is not null. A timestamp is a number. */
  readonly types: Readonly<Record<string, JsonType>>;
  /** The objects inside, by field. */
  readonly inner: Readonly<Record<string, Shape>>;
  /** The same fields, in the order in which the service last sent them all, and no other. */
  sent: readonly string[];
}

/** An object may have half a million fields. The names of a thousand say enough. */
const MAX_UNKNOWN = 1000;

/** Reports the fields in which an object differs from its shape. Most match, with their fields in the order of the last one. */
export function checkDrift(
  shape: Shape,
  wire: Readonly<Record<string, unknown>>,
  report: ReportDrift,
): void {
  if (hasKeys(wire, shape.sent)) return;
  const { object, fields } = shape;
  let known = 0;
  for (const field of fields) {
    if (wire[field] === undefined) report({ object, field, kind: 'missing' });
    else known += 1;
  }
  const sent = Object.keys(wire);
  if (sent.length === known) {
    if (known === fields.length) shape.sent = sent;
    return;
  }
  let unknown = 0;
  for (const field of sent) {
    if (fields.includes(field)) continue;
    report({ object, field, kind: 'unknown' });
    unknown += 1;
    if (unknown === MAX_UNKNOWN) return;
  }
}

/** Whether a parsed object has these keys in this order. */
function hasKeys(
  wire: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): boolean {
  let count = 0;
  for (const key in wire) {
    if (key !== keys[count]) return false;
    count += 1;
  }
  return count === keys.length;
}
