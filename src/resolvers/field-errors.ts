import { type GraphQLSchema, isNonNullType, isObjectType } from 'graphql';

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

interface HasFieldErrors {
  readonly fieldErrors: FieldErrors;
}

/** Throws the error of a field; or returns null for the field if the answer lists enough errors. */
export function throwOrNull(error: unknown, errors: FieldErrors): null {
  if (errors.admit()) throw error;
  return null;
}

/**
 * Makes every resolver of a nullable field return null instead of an error that the answer would not list. Our own execution
 * counts errors by itself, and takes the resolver without this.
 */
export function limitFieldErrors(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field;
      if (resolve === undefined || isNonNullType(field.type)) continue;
      field.extensions = { ...field.extensions, resolve };
      field.resolve = (parent, args, context: HasFieldErrors, info) => {
        try {
          const value: unknown = resolve(parent, args, context, info);
          if (!(value instanceof Promise)) return value;
          return value.catch((error) => throwOrNull(error, context.fieldErrors));
        } catch (error) {
          return throwOrNull(error, context.fieldErrors);
        }
      };
    }
  }
}
