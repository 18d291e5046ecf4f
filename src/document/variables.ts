import {
  coerceInputValue,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getVariableValues,
  isInputType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql';

type Variables = Readonly<Record<string, unknown>>;

/** The values of the variables of one request; or errors, if some do not fit. */
type VariablesRead =
  | { readonly values: Record<string, unknown>; readonly errors?: undefined }
  | { readonly values?: undefined; readonly errors: readonly GraphQLError[] };

/** A variable with its type and default value, which graphql would compute for each request. */
interface Variable {
  readonly name: string;
  readonly type: GraphQLInputType;
  /** Undefined if it has none. */
  readonly defaultValue: unknown;
}

/**
 * Does what graphql's `getVariableValues` does, but reads the definitions once for all requests. Where a value does not fit,
 * graphql itself makes the errors.
 */
export function createVariableReader(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  hideSuggestions = false,
) {
  const variables = definitions.map((definition) => toVariable(schema, definition));
  return (given: Variables): VariablesRead => {
    // Without a prototype, because variables may have any name.
    const values: Record<string, unknown> = Object.create(null);
    for (const variable of variables) {
      if (variable === null || !read(variable, given, values)) {
        const maxErrors = maxVariableErrors(given);
        const { coerced, errors } = getVariableValues(schema, definitions, given, {
          maxErrors,
          hideSuggestions,
        });
        return coerced === undefined ? { errors } : { values: coerced };
      }
    }
    return { values };
  };
}

/** Null for a variable that is left to graphql. */
function toVariable(
  schema: GraphQLSchema,
  { variable, type: typeNode, defaultValue }: VariableDefinitionNode,
): Variable | null {
  const name = variable.name.value;
  const type = typeFromAST(schema, typeNode);
  if (!isInputType(type)) return null;
  return {
    name,
    type,
    defaultValue: defaultValue && valueFromAST(defaultValue, type),
  };
}

/** Adds the value of a variable, if it has one; false if it does not fit. */
function read(
  { name, type, defaultValue }: Variable,
  given: Variables,
  values: Record<string, unknown>,
): boolean {
  if (!Object.hasOwn(given, name)) {
    if (defaultValue !== undefined) values[name] = defaultValue;
    return defaultValue !== undefined || !isNonNullType(type);
  }
  const value = given[name];
  if (value === null) {
    values[name] = null;
    return !isNonNullType(type);
  }
  try {
    values[name] = coerceInputValue(value, type, refuse);
    return true;
  } catch (error) {
    if (error !== UNFIT) throw error;
    return false;
  }
}

const UNFIT = new Error('A variable does not fit its type.');
function refuse(): never {
  throw UNFIT;
}

/** As many as graphql reports by itself. */
const MAX_ERRORS = 50;
/** If the variables are larger than this, only their first error is reported. Unit: values and, for texts, characters. */
const MAX_SHORT = 2000;

/**
 * How many errors of variables may be reported. Each error quotes the value that does not fit, perhaps a megabyte, so fifty
 * errors could quote fifty megabytes.
 */
const maxVariableErrors = (variables: unknown): number =>
  spendOn(variables, MAX_SHORT) < 0 ? 1 : MAX_ERRORS;

/** Subtracts the size of a value from `left`; stops as soon as the rest is negative. */
function spendOn(value: unknown, left: number): number {
  if (typeof value === 'string') return left - value.length;
  if (typeof value !== 'object' || value === null) return left - 1;
  let rest = left - 1;
  // `for in` reads the keys one by one, and can end early in an object of thousands.
  for (const key in value) {
    if (rest < 0) break;
    rest = spendOn((value as Record<string, unknown>)[key], rest - key.length);
  }
  return rest;
}
