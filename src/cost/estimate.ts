import {
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Arguments, ReadArguments } from '../document/arguments.ts';
import type { Selection } from '../document/selection.ts';
import type { RequestedPage } from '../paging/cost.ts';
import { BadPageError } from '../paging/errors.ts';
import { costOf, type FieldCost, type ObjectKey } from './declaration.ts';
import { type Cost, createNumbering, createTally } from './tally.ts';

/** An operation with everything that its cost depends on. */
export interface PricedOperation {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly selection: Selection;
  readonly argumentsOf: ReadArguments;
  /** The page that a list field asks for, or why it is refused. */
  readonly pageOf: (field: FieldNode, args: Arguments) => RequestedPage;
}

/** Objects of one type that an operation reaches by one path. */
interface ReachedObjects {
  readonly type: GraphQLObjectType;
  /** The same for the same objects, on whatever path they are reached: each object is fetched once. */
  readonly key: string;
  /** How many there may be. */
  readonly count: number;
  /** The objects from which they were reached, innermost first: a link may lead back to them. */
  readonly owners: readonly ReachedObjects[];
  /** Only its id is known, from an argument: a field that selects more must fetch it. */
  readonly isUnfetched?: true;
  readonly path: string;
}

/** A selected field of objects that were reached. */
interface SelectedField {
  readonly parent: ReachedObjects;
  readonly field: FieldNode;
  readonly definition: GraphQLField<unknown, unknown>;
  /** The type of the field, unwrapped from lists and non-null. */
  readonly type: GraphQLNamedType;
  /** Identifies the objects of this field of these parents. */
  readonly key: string;
  readonly path: string;
}

type CostOfKind<K extends FieldCost['kind']> = Extract<FieldCost, { kind: K }>;

/** Estimates the REST calls of an operation by the costs that its fields declare. */
export function estimateCost({
  schema,
  operation,
  selection,
  argumentsOf,
  pageOf,
}: PricedOperation): Cost {
  const tally = createTally();
  const numberOf = createNumbering();
  const visited = new Map<SelectionSetNode, Set<string>>();
  const root = schema.getRootType(operation.operation);
  if (!root) return tally.total();
  const start: ReachedObjects = { type: root, key: '', count: 1, owners: [], path: '' };
  visit(start, operation.selectionSet);
  return tally.total();

  /** Charges what is selected of objects; the same selection of the same objects is charged once. */
  function visit(
    parent: ReachedObjects,
    selectionSet: SelectionSetNode | undefined,
  ): void {
    if (selectionSet === undefined) return;
    const keys = visited.get(selectionSet) ?? new Set();
    if (keys.has(parent.key)) return;
    visited.set(selectionSet, keys.add(parent.key));
    for (const field of selection.fieldsOf(selectionSet, parent.type)) {
      const definition = parent.type.getFields()[field.name.value];
      if (definition === undefined || isFreeLeaf(definition)) continue;
      charge(toSelectedField(parent, field, definition));
    }
  }

  function charge(selected: SelectedField): void {
    const cost = costOf(selected.definition);
    if (cost === undefined) visitObjects(selected, selected.parent);
    else if (cost.kind === 'fetch') chargeFetch(cost, selected);
    else if (cost.kind === 'list') chargeList(cost, selected);
    else if (cost.kind === 'link') chargeLink(cost, selected);
    else chargeWrite(cost, selected);
  }

  /** Visits the objects that a field returns, with the count and the owners of `like`. */
  function visitObjects(
    { type, key, path, field }: SelectedField,
    like: ReachedObjects,
  ): void {
    if (isObjectType(type)) visit({ ...like, type, key, path }, field.selectionSet);
  }

  function chargeFetch(
    cost: CostOfKind<'fetch'>,
    { definition, field, path }: SelectedField,
  ): void {
    const given = argumentsOf(definition, field)[cost.argument];
    const keysByType = new Map<string, Set<string>>();
    for (const id of Array.isArray(given) ? given : [given]) {
      const key = cost.read(id);
      if (key === null) continue;
      const keys = keysByType.get(key.type) ?? new Set();
      keysByType.set(key.type, keys.add(toKey(key)));
    }
    for (const [typeName, keys] of keysByType) {
      const type = schema.getType(typeName);
      if (!isObjectType(type)) continue;
      for (const one of keys) tally.charge({ key: one, path, expected: 1 });
      const [first = ''] = keys;
      const key = keys.size === 1 ? first : `${typeName}s:${numberOf([...keys].join())}`;
      visit({ ...start, type, key, count: keys.size, path }, field.selectionSet);
    }
  }

  /** Charges a write under its own name: two equal writes are two calls. */
  function chargeWrite({ mayRead }: CostOfKind<'write'>, selected: SelectedField): void {
    const { field, definition, path } = selected;
    const key = field.alias?.value ?? field.name.value;
    const slack = mayRead?.(argumentsOf(definition, field)) ? 1 : 0;
    tally.charge({ key, path, expected: 1, slack });
    visitObjects({ ...selected, key }, selected.parent);
  }

  function chargeLink({ leadsBack }: CostOfKind<'link'>, selected: SelectedField): void {
    const { parent, field, type, key, path } = selected;
    if (selection.selectsOnlyIds(field.selectionSet)) return;
    const owner = leadsBack && parent.owners.find((candidate) => candidate.type === type);
    if (owner) {
      if (owner.isUnfetched) tally.charge({ key: owner.key, path, expected: 1 });
      visit(owner, field.selectionSet);
      return;
    }
    tally.charge({ key, path, expected: parent.count });
    visitObjects(selected, { ...parent, owners: [parent, ...parent.owners] });
  }

  function chargeList(cost: CostOfKind<'list'>, selected: SelectedField): void {
    const { parent, field, path } = selected;
    const args = argumentsOf(selected.definition, field);
    const page = pageOf(field, args);
    if (page instanceof BadPageError) return; // refused before any call
    const given = Object.entries(args).map(
      ([name, value]) => `${name} ${numberOf(value)}`,
    );
    const key = `${selected.key}(${given.join()})`;
    const { expected, slack } = page.cost;
    tally.charge({
      key,
      path,
      expected: expected * parent.count,
      slack: slack * parent.count,
    });
    const owners =
      parent === start ? namedOwners(cost, args) : [parent, ...parent.owners];
    const items = { key: `${key}[]`, count: parent.count * page.size, owners, path };
    visitItems(selected, items);
  }

  /** Visits the items of a connection where it selects them: `nodes {}` and `edges { node {} }`. */
  function visitItems(
    { type: connection, field }: SelectedField,
    items: Omit<ReachedObjects, 'type'>,
  ): void {
    if (!isObjectType(connection)) return;
    const type = getNamedType(connection.getFields().nodes?.type);
    if (!isObjectType(type)) return;
    for (const part of selection.fieldsOf(field.selectionSet, connection)) {
      const selected =
        part.name.value === 'edges' ? selection.fieldsOf(part.selectionSet) : [part];
      for (const { name, selectionSet } of selected)
        if (name.value === 'node' || name.value === 'nodes')
          visit({ ...items, type }, selectionSet);
    }
  }

  /** The owner that an argument names, as in `messages(conversationId: "c1")`: all items link to it. */
  function namedOwners({ owner }: CostOfKind<'list'>, args: Arguments): ReachedObjects[] {
    const type = owner && schema.getType(owner.type);
    const id = owner && args[owner.argument];
    if (!isObjectType(type) || typeof id !== 'string') return [];
    return [{ ...start, type, key: toKey({ type: type.name, id }), isUnfetched: true }];
  }

  /** The key of an object that is known by its id. */
  function toKey({ type, id }: ObjectKey): string {
    return `${type}:${numberOf(id)}`;
  }
}

/** Most fields are values that arrive inside their parent. */
const isFreeLeaf = (definition: GraphQLField<unknown, unknown>): boolean =>
  costOf(definition) === undefined && isLeafType(getNamedType(definition.type));

const toSelectedField = (
  parent: ReachedObjects,
  field: FieldNode,
  definition: GraphQLField<unknown, unknown>,
): SelectedField => ({
  parent,
  field,
  definition,
  type: getNamedType(definition.type),
  key: `${parent.key}>${field.name.value}`,
  path: parent.path === '' ? field.name.value : `${parent.path}.${field.name.value}`,
});
