/** A field that the interface does not name, or a field of the interface that is missing. */
export interface Drift {
  /** The object's name in the interface text, `Message`. */
  readonly object: string;
  readonly field: string;
  readonly kind: 'unknown' | 'missing';
}

export type ReportDrift = (drift: Drift) => void;

type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'array';

/** The fields that the interface names for an object. */
export interface Shape<Field extends string = string> {
  readonly object: string;
  readonly fields: readonly string[];
  /** The type of each field that is not null. A timestamp is a number. */
  readonly types: Readonly<Record<Field, JsonType>>;
}

export const shape = <Field extends string>(
  object: string,
  types: Readonly<Record<Field, JsonType>>,
): Shape<Field> => ({ object, fields: Object.keys(types), types });

/** Reports the fields in which an object differs from its shape. An object that matches costs only a count of its fields. */
export function checkDrift(
  { object, fields }: Shape,
  wire: Readonly<Record<string, unknown>>,
  report: ReportDrift,
): void {
  let known = 0;
  for (const field of fields) {
    if (wire[field] === undefined) report({ object, field, kind: 'missing' });
    else known += 1;
  }
  const sent = Object.keys(wire);
  if (sent.length === known) return;
  for (const field of sent) {
    if (!fields.includes(field)) report({ object, field, kind: 'unknown' });
  }
}
