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
  asksOnlyForIds,
  includedFields,
  type SelectionContext,
} from '../document/selection.ts';
import { fromNodeId } from '../resolvers/node-id.ts';
import { type Arguments, toArguments, toPageSize } from './arguments.ts';
import { type Cost, createTally, type Tally } from './tally.ts';

/** The price of one list field with these arguments; `spare` is for all its lists together. */
export type ListCostOf = (args: Arguments) => {
  readonly base: number;
  readonly extra: number;
  readonly spare: number;
};

export interface EstimateInput {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly selectionContext: SelectionContext;
  readonly listCost: ListCostOf;
  /** Unit: items. */
  readonly maxPageSize: number;
}

/** Objects of one type that an operation meets at one place. */
interface Place {
  readonly type: GraphQLObjectType;
  /** The same for objects that are the same, wherever they are met: each is fetched once. */
  readonly key: string;
  /** How many there may be. */
  readonly count: number;
  /** Where it was reached from, innermost first: a link of that type leads back there. */
  readonly owners: readonly Place[];
  /** Known by its id alone, from an argument: whoever wants more must fetch it. */
  readonly isUnfetched?: true;
  readonly path: string;
}

/**
 * What an operation may cost in REST calls, read off the schema: a root field that returns an object by its id is a call,
 * so is a mutation, a connection for each object that has one, and a link from object to object, unless nothing but its
 * id is asked or it leads back where it came from. What is embedded is free.
 */
export function estimateCost({
  schema,
  operation,
  selectionContext,
  listCost,
  maxPageSize,
}: EstimateInput): Cost {
  const tally = createTally();
  const visited = new Map<SelectionSetNode, Set<string>>();
  const root = schema.getRootType(operation.operation);
  if (!root) return tally.price();
  const start = { type: root, key: '', count: 1, owners: [], path: '' };
  for (const field of includedFields(operation.selectionSet, selectionContext, root)) {
    if (operation.operation === 'mutation') visitMutation(field);
    else visitRoot(field);
  }
  return tally.price();

  function visitMutation(field: FieldNode): void {
    const key = field.alias?.value ?? field.name.value;
    const definition = root?.getFields()[field.name.value];
    if (definition === undefined) return;
    tally.charge({ key, path: field.name.value, base: 1 });
    embed(
      { ...start, key, path: field.name.value },
      getNamedType(definition.type),
      field,
    );
  }

  function visitRoot(field: FieldNode): void {
    const definition = root?.getFields()[field.name.value];
    if (definition === undefined) return;
    const args = toArguments(definition, field, selectionContext);
    const type = getNamedType(definition.type);
    if (isConnection(type)) visitList(start, { field, type, args });
    else for (const place of toPlaces(type, args, field)) fetchPlace(place, field, tally);
  }

  /** What a root field finds by id or ids, a place for each type. */
  function toPlaces(type: GraphQLNamedType, args: Arguments, field: FieldNode): Place[] {
    const path = field.name.value;
    if (isObjectType(type)) {
      return [{ ...start, type, key: toKey(type.name, args.id), path }];
    }
    const nodeIds = [args.nodeId, args.nodeIds]
      .flat()
      .filter((id) => typeof id === 'string');
    const byType = Map.groupBy(
      new Set(nodeIds.flatMap(readNodeId)),
      (key) => key.split(':')[0],
    );
    return [...byType].flatMap(([name = '', keys]) => {
      const found = schema.getType(name);
      if (!isObjectType(found)) return [];
      for (const key of keys) tally.charge({ key, path, base: 1 });
      return [{ ...start, type: found, key: keys.join(), count: keys.length, path }];
    });
  }

  function fetchPlace(place: Place, field: FieldNode, { charge }: Tally): void {
    // Several of one type have been charged one by one.
    if (place.count === 1) charge({ key: place.key, path: place.path, base: 1 });
    visit(place, field.selectionSet);
  }

  /** Visits the objects of a place; a second time under the same selection there is nothing new. */
  function visit(place: Place, selectionSet: SelectionSetNode | undefined): void {
    if (selectionSet === undefined) return;
    const keys = visited.get(selectionSet) ?? new Set();
    if (keys.has(place.key)) return;
    visited.set(selectionSet, keys.add(place.key));
    for (const field of includedFields(selectionSet, selectionContext, place.type)) {
      const definition = place.type.getFields()[field.name.value];
      if (definition === undefined) continue;
      const type = getNamedType(definition.type);
      if (isConnection(type))
        visitList(place, {
          field,
          type,
          args: toArguments(definition, field, selectionContext),
        });
      else if (isNode(place.type) && isNode(type)) followLink(place, type, field);
      else embed({ ...place, path: join(place, field) }, type, field);
    }
  }

  function embed(place: Place, type: GraphQLNamedType, field: FieldNode): void {
    if (!isObjectType(type)) return;
    visit(
      { ...place, type, key: `${place.key}>${field.name.value}` },
      field.selectionSet,
    );
  }

  function followLink(place: Place, type: GraphQLObjectType, field: FieldNode): void {
    if (asksOnlyForIds([field.selectionSet], selectionContext)) return;
    const path = join(place, field);
    // `conversation` of a message leads to what the message was reached from; a `pinnedMessage` may be any.
    const leadsBack = field.name.value === type.name.toLowerCase();
    const owner = leadsBack
      ? place.owners.find((candidate) => candidate.type === type)
      : undefined;
    const key = `${place.key}>${field.name.value}`;
    const target = owner ?? {
      ...place,
      type,
      key,
      owners: [place, ...place.owners],
      path,
    };
    if (owner === undefined) tally.charge({ key, path, base: place.count });
    else if (owner.isUnfetched) tally.charge({ key: owner.key, path, base: 1 });
    visit(target, field.selectionSet);
  }

  function visitList(
    place: Place,
    { field, type, args }: { field: FieldNode; type: GraphQLObjectType; args: Arguments },
  ): void {
    const path = join(place, field);
    const key = `${place.key}>${field.name.value}${JSON.stringify(args)}`;
    const { base, extra, spare } = listCost(args);
    if (base === 0) return; // its arguments are refused before any call
    tally.charge({
      key,
      path,
      base: base * place.count,
      extra: extra * place.count + spare,
    });
    const size = toPageSize(args, maxPageSize);
    for (const part of includedFields(field.selectionSet, selectionContext, type)) {
      const edge = getNamedType(type.getFields()[part.name.value]?.type);
      const nodes =
        part.name.value === 'nodes'
          ? [part]
          : includedFields(part.selectionSet, selectionContext);
      const node = part.name.value === 'nodes' ? edge : nodeOf(edge);
      if (!isNode(node)) continue;
      const owners = place === start ? namedOwners(node, args) : [place, ...place.owners];
      const items = {
        type: node,
        key: `${key}[]`,
        count: place.count * size,
        owners,
        path,
      };
      for (const { name, selectionSet } of nodes) {
        if (name.value === 'node' || name.value === 'nodes') visit(items, selectionSet);
      }
    }
  }

  /** `messages(conversationId: "c1")`: all their links `conversation` lead to the same one. */
  function namedOwners(node: GraphQLObjectType, args: Arguments): Place[] {
    return Object.entries(args).flatMap(([name, id]) => {
      const link = node.getFields()[name.replace(/Id$/, '')];
      const type = getNamedType(link?.type);
      if (typeof id !== 'string' || !isNode(type)) return [];
      return [{ ...start, type, key: toKey(type.name, id), isUnfetched: true as const }];
    });
  }
}

const join = ({ path }: Place, { name }: FieldNode): string =>
  path === '' ? name.value : `${path}.${name.value}`;

const isConnection = (type: GraphQLNamedType): type is GraphQLObjectType =>
  isObjectType(type) && type.name.endsWith('Connection');

const isNode = (type: GraphQLNamedType | undefined): type is GraphQLObjectType =>
  isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node');

const nodeOf = (edge: GraphQLNamedType | undefined): GraphQLNamedType | undefined =>
  isObjectType(edge) ? getNamedType(edge.getFields().node?.type) : undefined;

/** The key of an object known by its id, which may hold whatever else keys are made of: in quotes it ends where it ends. */
const toKey = (type: string, id: unknown): string => `${type}:${JSON.stringify(id)}`;

/** The key of the object behind a nodeId; none for what is refused before any call. */
function readNodeId(nodeId: string): string[] {
  try {
    const { type, id } = fromNodeId(nodeId);
    return [toKey(type, id)];
  } catch {
    return [];
  }
}
