import {
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isNonNullType,
  isObjectType,
  locatedError,
  responsePathAsArray,
} from 'graphql';
import { OperationalError, withoutStack } from '../rest/errors.ts';

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

/** Throws the error of a field; or returns null for the field if the answer lists enough errors. `info`: where the field is. */
export function throwOrNull(
  error: unknown,
  errors: FieldErrors,
  info?: GraphQLResolveInfo,
): null {
  if (errors.admit()) throw info === undefined ? error : located(error, info);
  return null;
}

/**
 * An expected error with its place in the answer. Otherwise graphql would make the same error, but with a stack, and
 * all fields of an operation may fail in one moment.
 */
const located = (error: unknown, { fieldNodes, path }: GraphQLResolveInfo): unknown =>
  error instanceof OperationalError
    ? withoutStack(() => locatedError(error, fieldNodes, responsePathAsArray(path)))
    : error;

/** Makes every resolver of a nullable field return null instead of an error that the answer would not list. */
export function limitFieldErrors(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field;
      if (resolve === undefined || isNonNullType(field.type)) continue;
      field.resolve = (parent, args, context: HasFieldErrors, info) => {
        try {
          const value: unknown = resolve(parent, args, context, info);
          if (!(value instanceof Promise)) return value;
          return value.catch((error) => throwOrNull(error, context.fieldErrors, info));
        } catch (error) {
          return throwOrNull(error, context.fieldErrors, info);
        }
      };
    }
  }
}
