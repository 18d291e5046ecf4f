import {
  type FieldNode,
  type GraphQLField,
  getArgumentValues,
  isNonNullType,
  Kind,
  type ValueNode,
  valueFromAST,
} from 'graphql';

export type Arguments = Readonly<Record<string, unknown>>;

/** Reads the arguments of a field; throws a GraphQLError if the field cannot be executed with them. */
export type ReadArguments = (
  definition: GraphQLField<unknown, unknown>,
  field: FieldNode,
) => Arguments;

/** An argument whose value is written in the document, or is one variable. */
interface PlannedArgument {
  readonly name: string;
  /** Null: the value is `constant`. */
  readonly variable: string | null;
  readonly constant: unknown;
  readonly isNonNull: boolean;
}

/** The planned arguments of each field; null for a field whose arguments graphql reads, for each request. */
export type PlannedArguments = Map<FieldNode, readonly PlannedArgument[] | null>;

/** Reads the arguments of the fields of one operation, once for each field. */
export function createArgumentReader(
  planned: PlannedArguments,
  variables: Record<string, unknown>,
): ReadArguments {
  const known = new Map<FieldNode, Arguments>();
  return (definition, field) => {
    if (definition.args.length === 0) return NONE;
    const args = known.get(field);
    if (args !== undefined) return args;
    let plan = planned.get(field);
    if (plan === undefined) {
      plan = planArguments(definition, field);
      planned.set(field, plan);
    }
    const read =
      (plan && readPlanned(plan, variables)) ??
      getArgumentValues(definition, field, variables);
    known.set(field, read);
    return read;
  };
}

const NONE: Arguments = Object.freeze({});

/** Null if an argument has a variable inside a list or an object, or a value that does not fit its type. */
function planArguments(
  { args }: GraphQLField<unknown, unknown>,
  { arguments: given = [] }: FieldNode,
): readonly PlannedArgument[] | null {
  const planned: PlannedArgument[] = [];
  for (const { name, type, defaultValue } of args) {
    const value = given.find((one) => one.name.value === name)?.value;
    const isNonNull = isNonNullType(type);
    if (value?.kind === Kind.VARIABLE) {
      const variable = value.name.value;
      planned.push({ name, variable, constant: defaultValue, isNonNull });
      continue;
    }
    if (value !== undefined && holdsVariable(value)) return null;
    const constant = value === undefined ? defaultValue : valueFromAST(value, type);
    if (constant !== undefined) {
      planned.push({ name, variable: null, constant, isNonNull });
    } else if (value !== undefined) return null;
  }
  return planned;
}

export function holdsVariable(value: ValueNode): boolean {
  if (value.kind === Kind.VARIABLE) return true;
  if (value.kind === Kind.LIST) return value.values.some(holdsVariable);
  return (
    value.kind === Kind.OBJECT && value.fields.some((field) => holdsVariable(field.value))
  );
}

/** Null if a required argument has no value: graphql makes that error. */
function readPlanned(
  planned: readonly PlannedArgument[],
  variables: Record<string, unknown>,
): Arguments | null {
  const args: Record<string, unknown> = {};
  for (const { name, variable, constant, isNonNull } of planned) {
    // Variables have no prototype, so one without a value is undefined.
    const given = variable === null ? undefined : variables[variable];
    const value = given === undefined ? constant : given;
    if (value == null && isNonNull) return null;
    if (value !== undefined) args[name] = value;
  }
  return args;
}
