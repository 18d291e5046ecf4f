import {
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ResponsePath,
} from 'graphql';
import type { ReadArguments } from '../document/arguments.ts';
import type { Fragments, Selection } from '../document/selection.ts';
import { CollectedErrors } from './errors.ts';
import { Pending, PendingContainer, promiseOf } from './pending.ts';
import { planObject } from './plan-fields.ts';
import { type PlannedField, type PlannedObject, ResolveInfo, type Run } from './run.ts';
import { Awaited, pathOf, settle, settleAt } from './settle.ts';
import { LEAST_BYTES, roughSizeOfText } from './size.ts';

/** An operation with the values of its variables. */
export interface ExecutionOptions {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
  readonly selection: Selection;
  readonly variableValues: Record<string, unknown>;
  readonly argumentsOf: ReadArguments;
  /** The parent of the root fields: the event of a subscription. */
  readonly rootValue?: unknown;
  readonly contextValue: unknown;
  readonly turn: Run['turn'];
  /** Above this, the size of the answer is no longer counted. Unit: bytes. */
  readonly maxBytes: number;
}

export interface ExecutionResult {
  readonly data: Record<string, unknown> | null;
  readonly errors: readonly GraphQLError[];
  /** How many more fields failed. Their values are null without an error. */
  readonly omitted: number;
  /** No less than what `data` takes as JSON, or more than `maxBytes`. Unit: bytes. */
  readonly size: number;
}

/** The planned root of each selection: all requests that share a selection share its plan. */
const roots = new WeakMap<Selection, PlannedObject>();

/**
 * Executes an operation as graphql's `execute` does, with the same data and the same errors, but works out once for all
 * requests what depends on the document alone. A subscription is executed once for each of its events.
 */
export function executePlanned(
  options: ExecutionOptions,
): ExecutionResult | Promise<ExecutionResult> {
  const { schema, operation, selection, rootValue } = options;
  const run = new Execution(options);
  const type = schema.getRootType(operation.operation);
  if (type == null) return run.endWithout(notInSchema(operation));
  let root = roots.get(selection);
  if (root === undefined) {
    root = planObject(selection, [operation.selectionSet], type);
    roots.set(selection, root);
  }
  if (operation.operation === 'mutation') return run.executeInTurn(root);
  try {
    const data = run.executeObject(root, rootValue, undefined);
    return data instanceof Pending ? run.endLater(data) : run.end(data);
  } catch (error) {
    return run.endWithout(error);
  }
}

class Execution implements Run {
  readonly schema: GraphQLSchema;
  readonly errors = new CollectedErrors();
  readonly maxBytes: number;
  readonly turn: Run['turn'];
  size = 0;
  private readonly options: ExecutionOptions;

  constructor(options: ExecutionOptions) {
    this.options = options;
    this.schema = options.schema;
    this.maxBytes = options.maxBytes;
    this.turn = options.turn;
  }

  executeObject(
    { fields, nameBytes, hasProto }: PlannedObject,
    source: unknown,
    path: ResponsePath | undefined,
  ): unknown {
    const object = createObject(hasProto);
    let container: PendingContainer | null = null;
    this.size += nameBytes;
    try {
      for (let index = 0; index < fields.length; index += 1) {
        const field = fields[index] as PlannedField;
        const value = this.executeField(field, source, path);
        if (value instanceof Pending) {
          container ??= new PendingContainer(this, object);
          container.add(field.key, value);
        } else object[field.key] = value;
      }
    } catch (error) {
      if (container !== null) return container.failLast(error);
      throw error;
    }
    return container ?? object;
  }

  /** Executes the root fields of a mutation one after the other. */
  async executeInTurn({
    fields,
    nameBytes,
    hasProto,
  }: PlannedObject): Promise<ExecutionResult> {
    const object = createObject(hasProto);
    this.size += nameBytes;
    try {
      for (const field of fields) {
        const value = this.executeField(field, undefined, undefined);
        object[field.key] = value instanceof Pending ? await promiseOf(value) : value;
      }
      return this.end(object);
    } catch (error) {
      return this.endWithout(error);
    }
  }

  private executeField(
    field: PlannedField,
    source: unknown,
    parent: ResponsePath | undefined,
  ): unknown {
    const { key, typeName, resolve, definition } = field;
    if (typeName !== null) return typeName;
    if (resolve === null) {
      const value = (source as Record<string, unknown> | undefined)?.[definition.name];
      if (typeof value !== field.unchangedType) {
        return settle(this, field, field, value, parent, key);
      }
      this.size += typeof value === 'string' ? roughSizeOfText(value) : LEAST_BYTES;
      return value;
    }
    const path = pathOf(field, parent, key);
    let value: unknown;
    try {
      const args = this.options.argumentsOf(definition, field.nodes[0] as FieldNode);
      const info = new ResolveInfo(field, path, this.options);
      value = resolve(source, args, this.options.contextValue, info);
    } catch (thrown) {
      return this.errors.fail(field, field, thrown, path);
    }
    return value instanceof Promise
      ? new Awaited(this, field, field, value, path)
      : settleAt(this, field, field, value, path);
  }

  endLater(data: Pending): Promise<ExecutionResult> {
    return new Promise((resolve) => {
      const holder = {
        onValue: (_key: unknown, value: unknown) => resolve(this.end(value)),
        onError: (error: unknown) => resolve(this.endWithout(error)),
      };
      data.onSettle(holder, '');
    });
  }

  /** An error of the root, which makes the whole answer null. */
  endWithout(error: unknown): ExecutionResult {
    this.errors.add(error, undefined);
    return this.end(null);
  }

  end(data: unknown): ExecutionResult {
    return {
      data: data as ExecutionResult['data'],
      errors: this.errors.toList(),
      omitted: this.errors.omitted,
      size: this.size,
    };
  }
}

const notInSchema = (operation: OperationDefinitionNode) =>
  new GraphQLError(
    `Schema is not configured to execute ${operation.operation} operation.`,
    { nodes: operation },
  );

/** An object with a prototype is faster to write, but a field of the name `__proto__` would set it. */
const createObject = (hasProto: boolean): Record<string, unknown> =>
  hasProto ? Object.create(null) : {};
