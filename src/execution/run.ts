import type {
  FieldNode,
  GraphQLField,
  GraphQLObjectType,
  GraphQLResolveInfo,
  GraphQLSchema,
  ResponsePath,
} from 'graphql';
import type { CollectedErrors } from './errors.ts';

/** The execution of one operation. */
export interface Run {
  readonly schema: GraphQLSchema;
  readonly errors: CollectedErrors;
  /** The rough size of the answer so far; counted up to `maxBytes`. Unit: bytes. */
  size: number;
  readonly maxBytes: number;
  /** Waits for a turn, so that other operations get theirs; undefined: this one goes on. */
  readonly turn: () => Promise<void> | undefined;
  /** Executes the selected fields of an object. Returns `Pending` if one of the values is a promise. */
  executeObject(object: PlannedObject, source: unknown, path: ResponsePath): unknown;
}

/** The selected fields of objects of one type. */
export interface PlannedObject {
  readonly fields: readonly PlannedField[];
  /** The rough size of the names of the fields in the answer. Unit: bytes. */
  readonly nameBytes: number;
  /** Whether a field is named `__proto__`, which would set the prototype of a plain object. */
  readonly hasProto: boolean;
}

/** A place in the answer for a value: a field's, or each item's of a list. */
export interface Slot {
  readonly complete: Complete;
  readonly isNonNull: boolean;
  /** Whether the value can hold fields, which need its path. */
  readonly needsPath: boolean;
}

type Resolve = (
  source: unknown,
  args: Record<string, unknown>,
  context: unknown,
  info: ResolveInfo,
) => unknown;

/** A selected field, with what is the same for all objects and all requests. */
export interface PlannedField extends Slot {
  /** Its name in the answer. */
  readonly key: string;
  /** The places in the document that select it. */
  readonly nodes: readonly FieldNode[];
  readonly parentType: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown>;
  /** The value of `__typename`; null for all other fields. */
  readonly typeName: string | null;
  /** Values of this JavaScript type go into the answer unchanged; null if there is no such type. */
  readonly unchangedType: 'string' | 'boolean' | null;
  /** Null: the value is the property with the field's name. */
  readonly resolve: Resolve | null;
  /** The fields selected of its value, if that is an object of `type`. */
  objectOf(type: GraphQLObjectType): PlannedObject;
}

/**
 * Turns what a resolver returned into what the answer holds, or into `Pending`; throws what makes the field fail. `path` is
 * undefined where a value has no fields.
 */
export type Complete = (
  run: Run,
  field: PlannedField,
  value: unknown,
  path: ResponsePath | undefined,
) => unknown;

/** The same for all fields of an operation. */
type OperationInfo = Pick<
  GraphQLResolveInfo,
  'schema' | 'fragments' | 'operation' | 'variableValues'
> & { readonly rootValue?: unknown };

/** The fourth argument of a resolver. It copies nothing: there is one for each field with a resolver, and most read little. */
export class ResolveInfo implements GraphQLResolveInfo {
  readonly path: ResponsePath;
  readonly #field: PlannedField;
  readonly #operation: OperationInfo;

  constructor(field: PlannedField, path: ResponsePath, operation: OperationInfo) {
    this.path = path;
    this.#field = field;
    this.#operation = operation;
  }

  /** The same, with another schema. */
  withSchema(schema: GraphQLSchema): ResolveInfo {
    return new ResolveInfo(this.#field, this.path, { ...this.#operation, schema });
  }

  get fieldName() {
    return this.#field.definition.name;
  }

  get fieldNodes() {
    return this.#field.nodes;
  }

  get returnType() {
    return this.#field.definition.type;
  }

  get parentType() {
    return this.#field.parentType;
  }

  get schema() {
    return this.#operation.schema;
  }

  get fragments() {
    return this.#operation.fragments;
  }

  get rootValue() {
    return this.#operation.rootValue;
  }

  get operation() {
    return this.#operation.operation;
  }

  get variableValues() {
    return this.#operation.variableValues;
  }
}
