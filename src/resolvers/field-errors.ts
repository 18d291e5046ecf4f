/** An answer lists no more errors of fields. People read a few of them, and each takes time and bytes. */
export const MAX_FIELD_ERRORS = 1000;

/** Counts the errors of the fields of one operation. */
export interface FieldErrors {
  /** Counts one more error. False: the answer lists enough of them, and the field is null without one. */
  admit(): boolean;
  /** How many were not admitted. */
  omitted(): number;
}

export function createFieldErrors(): FieldErrors {
  let count = 0;
  return {
    admit() {
      count += 1;
      return count <= MAX_FIELD_ERRORS;
    },
    omitted: () => Math.max(0, count - MAX_FIELD_ERRORS),
  };
}
