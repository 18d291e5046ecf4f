/** An answer lists at most this many errors of fields. People read a few of them, and each takes time and bytes. */
export const MAX_FIELD_ERRORS = 1000;

/** Counts the errors of the fields of one operation. */
export class FieldErrors {
  #count = 0;

  /** Counts one more error. False: the answer lists enough of them, and the field is null without one. */
  admit(): boolean {
    this.#count += 1;
    return this.#count <= MAX_FIELD_ERRORS;
  }

  /** How many were not admitted. */
  omitted(): number {
    return Math.max(0, this.#count - MAX_FIELD_ERRORS);
  }
}
