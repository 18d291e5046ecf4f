import {
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import {
  includedFields,
  type SelectionContext,
  selectsOnlyIds,
} from '../document/selection.ts';
import type { RequestedPage } from '../paging/cost.ts';
import { BadPageError } from '../paging/errors.ts';
import type { Arguments, ReadArguments } from './arguments.ts';
import { costOf, type FieldCost, type ObjectKey } from './declaration.ts';
import { type Cost, createTally } from './tally.ts';

/** An operation with everything that its cost depends on. */
export interface PricedOperation {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly selection: SelectionContext;
  readonly argumentsOf: ReadArguments;
  /** The page that a list field asks for, or why it is refused. */
  readonly pageOf: (field: FieldNode, args: Arguments) => RequestedPage;
}

/** Objects of one type that an operation reaches by one path. */
interface Reached {
  readonly type: GraphQLObjectType;
  /** Equal for the same objects, by whatever path they are reached: each is fetched once. */
  readonly key: string;
  /** How many there may be. */
  readonly count: number;
  /** The objects they were reached from, innermost first: a link may lead back there. */
  readonly owners: readonly Reached[];
  /** Only its id is known, from an argument: a field that selects more must fetch it. */
  readonly isUnfetched?: true;
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
  const visited = new Map<SelectionSetNode, Set<string>>();
  const root = schema.getRootType(operation.operation);
  if (!root) return tally.total();
  const start: Reached = { type: root, key: '', count: 1, owners: [], path: '' };
  visit(start, operation.selectionSet);
  return tally.total();

  /** Charges what is selected of objects; the same selection of the same objects is charged once. */
  function visit(parent: Reached, selectionSet: SelectionSetNode | undefined): void {
    if (selectionSet === undefined) return;
    const keys = visited.get(selectionSet) ?? new Set();
    if (keys.has(parent.key)) return;
    visited.set(selectionSet, keys.add(parent.key));
    for (const field of includedFields(selectionSet, selection, parent.type))
      charge(parent, field);
  }

  function charge(parent: Reached, field: FieldNode): void {
    const definition = parent.type.getFields()[field.name.value];
    if (definition === undefined) return;
    const type = getNamedType(definition.type);
    const cost = costOf(definition);
    if (cost?.kind === 'fetch')
      fetch(cost, field, argumentsOf(definition, field)[cost.argument]);
    else if (cost?.kind === 'write') write(parent, type, field);
    else if (cost?.kind === 'list' && isObjectType(type))
      list(parent, { cost, type, field, args: argumentsOf(definition, field) });
    else if (cost?.kind === 'link' && isObjectType(type))
      link(parent, { cost, type, field });
    else embed(parent, type, field);
  }

  /** Charges the objects that ids name, and visits them type by type. */
  function fetch(cost: CostOfKind<'fetch'>, field: FieldNode, ids: unknown): void {
    const path = field.name.value;
    const keys = [ids]
      .flat()
      .map(cost.read)
      .filter((key) => key !== null);
    for (const [typeName, sameType] of Map.groupBy(keys, (key) => key.type)) {
      const type = schema.getType(typeName);
      if (!isObjectType(type)) continue;
      const distinct = [...new Set(sameType.map(toKey))];
      for (const key of distinct) tally.charge({ key, path, expected: 1 });
      const objects = {
        ...start,
        type,
        key: distinct.join(),
        count: distinct.length,
        path,
      };
      visit(objects, field.selectionSet);
    }
  }

  /** A write is charged each time, also beside its twin. */
  function write(parent: Reached, type: GraphQLNamedType, field: FieldNode): void {
    const key = field.alias?.value ?? field.name.value;
    const path = join(parent, field);
    tally.charge({ key, path, expected: 1 });
    if (isObjectType(type)) visit({ ...parent, type, key, path }, field.selectionSet);
  }

  function embed(parent: Reached, type: GraphQLNamedType, field: FieldNode): void {
    if (!isObjectType(type)) return;
    const key = `${parent.key}>${field.name.value}`;
    visit({ ...parent, type, key, path: join(parent, field) }, field.selectionSet);
  }

  function link(
    parent: Reached,
    {
      cost,
      type,
      field,
    }: { cost: CostOfKind<'link'>; type: GraphQLObjectType; field: FieldNode },
  ): void {
    if (selectsOnlyIds([field.selectionSet], selection)) return;
    const path = join(parent, field);
    const owner = cost.leadsBack
      ? parent.owners.find((candidate) => candidate.type === type)
      : undefined;
    const key = `${parent.key}>${field.name.value}`;
    if (owner === undefined) tally.charge({ key, path, expected: parent.count });
    else if (owner.isUnfetched) tally.charge({ key: owner.key, path, expected: 1 });
    const owners = [parent, ...parent.owners];
    visit(owner ?? { ...parent, type, key, owners, path }, field.selectionSet);
  }

  function list(
    parent: Reached,
    {
      cost,
      type,
      field,
      args,
    }: {
      cost: CostOfKind<'list'>;
      type: GraphQLObjectType;
      field: FieldNode;
      args: Arguments;
    },
  ): void {
    const page = pageOf(field, args);
    if (page instanceof BadPageError) return; // refused before any call
    const path = join(parent, field);
    const key = `${parent.key}>${field.name.value}${JSON.stringify(args)}`;
    const { expected, slack, sharedSlack } = page.cost;
    tally.charge({
      key,
      path,
      expected: expected * parent.count,
      slack: slack * parent.count + sharedSlack,
    });
    const owners =
      parent === start ? namedOwners(cost, args) : [parent, ...parent.owners];
    const items = { key: `${key}[]`, count: parent.count * page.size, owners, path };
    for (const { node, selectionSet } of nodeSelections(type, field))
      visit({ ...items, type: node }, selectionSet);
  }

  /** The owner that an argument names, as in `messages(conversationId: "c1")`: all items link to it. */
  function namedOwners({ owner }: CostOfKind<'list'>, args: Arguments): Reached[] {
    const type = owner && schema.getType(owner.type);
    const id = owner && args[owner.argument];
    if (!isObjectType(type) || typeof id !== 'string') return [];
    return [{ ...start, type, key: toKey({ type: type.name, id }), isUnfetched: true }];
  }

  /** Where a connection selects its items: `nodes {}` and `edges { node {} }`. */
  function nodeSelections(connection: GraphQLObjectType, field: FieldNode) {
    const node = getNamedType(connection.getFields().nodes?.type);
    if (!isObjectType(node)) return [];
    return includedFields(field.selectionSet, selection, connection)
      .flatMap((part) =>
        part.name.value === 'edges'
          ? includedFields(part.selectionSet, selection).filter(
              ({ name }) => name.value === 'node',
            )
          : part.name.value === 'nodes'
            ? [part]
            : [],
      )
      .map(({ selectionSet }) => ({ node, selectionSet }));
  }
}

const join = ({ path }: Reached, { name }: FieldNode): string =>
  path === '' ? name.value : `${path}.${name.value}`;

/** The key of an object that is known by its id. The id is quoted, because it may contain what separates the parts of a key. */
const toKey = ({ type, id }: ObjectKey): string => `${type}:${JSON.stringify(id)}`;
