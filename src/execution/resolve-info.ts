import type {
  FieldNode,
  GraphQLField,
  GraphQLObjectType,
  GraphQLResolveInfo,
  GraphQLSchema,
  ResponsePath,
} from 'graphql';

/** The same for all objects and all requests. */
interface FieldInfo {
  readonly nodes: readonly FieldNode[];
  readonly parentType: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown>;
}

/** The same for all fields of an operation. */
type OperationInfo = Pick<
  GraphQLResolveInfo,
  'schema' | 'fragments' | 'operation' | 'variableValues'
> & { readonly rootValue?: unknown };

/** What a resolver learns of its field. Nothing is copied: there is one for each field with a resolver, and most read little. */
export class ResolveInfo implements GraphQLResolveInfo {
  readonly path: ResponsePath;
  readonly #field: FieldInfo;
  readonly #operation: OperationInfo;

  constructor(field: FieldInfo, path: ResponsePath, operation: OperationInfo) {
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
