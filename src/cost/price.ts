import {
  type FieldNode,
  type GraphQLField,
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
import type { PageSize, PricedPage, RequestedPage } from '../paging/cost.ts';
import { BadPageError } from '../paging/errors.ts';
import {
  costOf,
  type FetchCost,
  type FirstCost,
  isKeyed,
  type LinkCost,
  type ListCost,
  type ObjectKey,
  type SearchCost,
  type ThroughCost,
  type WriteCost,
} from './declaration.ts';
import { OperationPages, PAGE_ARGUMENTS } from './pages.ts';
import {
  distinct,
  greater,
  LINK,
  LIST,
  NOTHING,
  OBJECTS_PER_GIVEN_ID,
  type Size,
  sum,
  times,
  weigh,
} from './size.ts';

/** An operation with everything that its price depends on. */
export interface PricedOperation {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly selection: Selection;
  readonly argumentsOf: ReadArguments;
  /** The page that the arguments of a list ask for, or why it is refused. */
  readonly requestPage: (args: Arguments, size?: PageSize) => RequestedPage;
  /** How many objects and values the answer may hold. */
  readonly maxObjects: number;
}

/** The most that an operation may cost, known before its first call. Retries are not counted. */
export interface Price extends Size {
  /** The REST calls it makes if the service behaves as configured. */
  readonly expected: number;
  /** The calls it may make beyond that, to find a cursor again, to read to the end of a list or to learn its order. */
  readonly slack: number;
  /** By the path of a field, such as `conversations.messages`. */
  readonly calls: ReadonlyMap<string, FieldCalls>;
  /** The page that each list field asks for. */
  readonly pages: ReadonlyMap<FieldNode, RequestedPage>;
}

/** The calls that a field makes, of all objects that have it. */
export interface FieldCalls {
  /** The fewest that it makes, unless it is refused for its arguments. */
  least: number;
  expected: number;
  slack: number;
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
  /** A connection or its edges. All below has their key and path: an item is the same object under `nodes` and `edges`. */
  readonly isPage?: boolean;
  /** The objects that hold these, which arrive inside them. */
  readonly holders?: ReachedObjects;
  readonly path: string;
}

/** A selected field of objects that were reached. */
type SelectedField = ReturnType<typeof toSelectedField>;

/**
 * Prices an operation: the REST calls that its fields declare, and the objects, values and links that its answer may hold.
 * The calls do not bound the answer: a link back to a known object costs no call, so one page under each of a hundred
 * messages is a hundred pages in the answer.
 */
export function priceOperation({
  schema,
  operation,
  selection,
  argumentsOf,
  requestPage,
  maxObjects,
}: PricedOperation): Price {
  let expected = 0;
  let slack = 0;
  let givenIds = 0;
  const charged = new Set<string>();
  const callsByPath = new Map<string, FieldCalls>();
  const visited = new Map<SelectionSetNode, Map<string, Size>>();
  const numbers = new Map<unknown, number>();
  const pages = new OperationPages({ argumentsOf, requestPage, numberOf });

  const type = schema.getRootType(operation.operation);
  const root = type && { type, key: '', count: 1, owners: [], path: '' };
  const { objects, links } = root ? visit(root, operation.selectionSet) : NOTHING;
  return { expected, slack, calls: callsByPath, objects, links, pages: pages.byField };

  /**
   * Charges what is selected of objects, and returns the size of the answer below one of them. The same selection of the
   * same objects is charged once.
   */
  function visit(
    parent: ReachedObjects,
    selectionSet: SelectionSetNode | undefined,
  ): Size {
    if (selectionSet === undefined) return NOTHING;
    const sizes = visited.get(selectionSet) ?? new Map<string, Size>();
    visited.set(selectionSet, sizes);
    const known = sizes.get(parent.key);
    if (known !== undefined) return known;
    let below = NOTHING;
    const fields = selection.fieldsOf(selectionSet, parent.type);
    for (const field of distinct(fields))
      below = sum(below, priceField(parent, field, fields));
    sizes.set(parent.key, below);
    return below;
  }

  /** `beside`: the field, and all that are selected beside it. */
  function priceField(
    parent: ReachedObjects,
    field: FieldNode,
    beside: readonly FieldNode[],
  ): Size {
    const definition = parent.type.getFields()[field.name.value];
    // A `__typename` without an alias counts as part of its object, because clients add one to every object. Only under
    // aliases can a document ask for it again and again.
    if (definition === undefined && field.alias === undefined) return NOTHING;
    const own = { objects: weigh(field), links: 0 };
    if (definition === undefined) return own;
    const cost = costOf(definition);
    // Most fields are values that arrive inside their parent.
    if (cost === undefined && isLeafType(getNamedType(definition.type))) return own;
    const selected = toSelectedField(parent, field, definition);
    if (cost === undefined) return sum(own, visitObjects(selected, parent));
    if (cost.kind === 'fetch') return priceFetch(cost, selected, own);
    if (cost.kind === 'list') return priceList(cost, selected, own);
    if (cost.kind === 'first') return sum(own, priceFirst(cost, selected, beside));
    if (cost.kind === 'link') return sum(own, priceLink(cost, selected));
    if (cost.kind === 'through') return sum(own, priceThrough(cost, selected));
    if (cost.kind === 'search') return sum(own, priceSearch(cost, selected));
    return sum(own, priceWrite(cost, selected));
  }

  /** Visits the objects that a field returns, with the count and the owners of `like`. */
  function visitObjects(
    { field, key, type, path }: SelectedField,
    like: ReachedObjects,
  ): Size {
    // Only a fetch can return several types, and its ids say which.
    if (!isObjectType(type)) throw new Error(`The price of ${path} is not known.`);
    if (!like.isPage)
      return visit({ ...like, holders: like, type, key, path }, field.selectionSet);
    const isPage = !ITEM_FIELDS.includes(field.name.value);
    return visit({ ...like, type, isPage }, field.selectionSet);
  }

  function priceFetch(
    cost: FetchCost,
    { parent, definition, field, path }: SelectedField,
    own: Size,
  ): Size {
    const given = argumentsOf(definition, field)[cost.argument];
    const ids: readonly unknown[] = Array.isArray(given) ? given : [given];
    if (Array.isArray(given)) givenIds += ids.length;
    if (givenIds * OBJECTS_PER_GIVEN_ID > maxObjects) {
      // It is refused for its ids, which are read no more: one variable of thousands may be given to hundreds of fields.
      charge(field.alias?.value ?? path, path, ids.length);
      return { objects: ids.length * OBJECTS_PER_GIVEN_ID, links: 0 };
    }
    const named = ids.map(cost.read).filter((key) => key !== null);
    let below = NOTHING;
    for (const [typeName, keys] of Map.groupBy(named, ({ type }) => type)) {
      const type = schema.getType(typeName);
      if (!isObjectType(type)) continue;
      const distinctKeys = new Set(keys.map(toKey));
      for (const key of distinctKeys) charge(key, path, 1);
      const [first = ''] = distinctKeys;
      const count = distinctKeys.size;
      const all = `${typeName}s:${numberOf([...distinctKeys].join())}`;
      const objects = { ...parent, type, key: count === 1 ? first : all, count, path };
      below = greater(below, visit(objects, field.selectionSet));
    }
    const each = sum(own, below);
    if (!Array.isArray(given)) return each;
    return times({ ...each, objects: each.objects + OBJECTS_PER_GIVEN_ID }, ids.length);
  }

  /** Charges a write under its own name: two equal writes are two calls. */
  function priceWrite(cost: WriteCost, selected: SelectedField): Size {
    const { reads = 0, mayRead, onceIn } = cost;
    const { parent, definition, field, path } = selected;
    const key = field.alias?.value ?? field.name.value;
    if (onceIn && isKeyed(argumentsOf(definition, field)))
      charge(key, path, 1, callsOf(requestPage({ ...onceIn })) + 1, 0);
    else charge(key, path, 1 + reads, mayRead ? 1 : 0);
    return visitObjects({ ...selected, key }, parent);
  }

  function priceLink(cost: LinkCost, selected: SelectedField): Size {
    const { parent, field } = selected;
    // The id of the object is known already, and no other field is selected.
    if (selection.selectsOnlyIds(field.selectionSet))
      return visitObjects(selected, parent);
    return sum(LINK, visit(reach(cost, selected), field.selectionSet));
  }

  /** Charges the objects that a link leads to, unless the operation has them already. */
  function reach({ leadsBack }: LinkCost, selected: SelectedField): ReachedObjects {
    const { parent, type, key, path } = selected;
    if (!isObjectType(type)) throw new Error(`The price of ${path} is not known.`);
    const owner = leadsBack && parent.owners.find((candidate) => candidate.type === type);
    if (owner) {
      if (!owner.isUnfetched) return owner;
      charge(owner.key, path, 1);
      // An owner that an argument names is reached here for the first time.
      return { ...owner, path };
    }
    charge(key, path, parent.count);
    const owners = [parent, ...parent.owners];
    return { type, key, path, count: parent.count, owners };
  }

  function priceThrough(cost: ThroughCost, { parent, field, path }: SelectedField): Size {
    let holders: ReachedObjects | undefined = parent;
    while (holders !== undefined && holders.type.name !== cost.type)
      holders = holders.holders;
    const definition = holders?.type.getFields()[cost.link];
    const link = definition && costOf(definition);
    if (!holders || !definition || link?.kind !== 'link')
      throw new Error(`The price of ${path} is not known.`);
    const key = keyOf(holders, cost.link);
    const type = getNamedType(definition.type);
    reach(link, { parent: holders, field, definition, type, key, path });
    return LINK;
  }

  /** Charged once, however often it is selected. */
  function priceSearch({ calls }: SearchCost, selected: SelectedField): Size {
    charge(selected.key, selected.path, calls, 0, 0);
    return sum(LINK, visitObjects(selected, selected.parent));
  }

  function priceList(
    cost: ListCost,
    { parent, field, definition, type, key, path }: SelectedField,
    own: Size,
  ): Size {
    const args = argumentsOf(definition, field);
    const page = pages.ofList(field, args);
    // The field is refused before any call.
    if (page instanceof BadPageError) return sum(own, LIST);
    const listKey = chargePage(page, { parent, key, path }, args);
    const owners = parent === root ? namedOwners(cost, args) : [parent, ...parent.owners];
    const count = parent.count * page.size;
    if (!isObjectType(type)) throw new Error(`${path} is no connection.`);
    const items = { type, key: `${listKey}[]`, count, owners, isPage: true, path };
    return sum(times(sum(own, visit(items, field.selectionSet)), page.size), LIST);
  }

  function priceFirst(
    cost: FirstCost,
    { parent, field, type, path }: SelectedField,
    beside: readonly FieldNode[],
  ): Size {
    const page = pages.ofFirst({ cost, field, parent: parent.type, beside });
    if (page instanceof BadPageError) return LIST;
    const listKey = chargePage(page, { parent, key: keyOf(parent, cost.list), path }, {});
    if (!isObjectType(type)) return LIST;
    const owners = [parent, ...parent.owners];
    const item = { type, key: `${listKey}[0]`, count: parent.count, owners, path };
    return sum(visit(item, field.selectionSet), LIST);
  }

  /** Charges the page of a list field of each parent. Returns the key of the list with these arguments. */
  function chargePage(
    page: PricedPage,
    { parent, key, path }: Pick<SelectedField, 'parent' | 'key' | 'path'>,
    args: Arguments,
  ): string {
    const given = Object.entries(args)
      .filter(([name]) => !PAGE_ARGUMENTS.includes(name))
      .map(([name, value]) => `${name} ${numberOf(value)}`);
    const listKey = `${key}(${[...given, numberOf(page)].join()})`;
    const { expected, slack } = page.cost;
    charge(listKey, path, expected * parent.count, slack * parent.count);
    return listKey;
  }

  /** The owner that an argument names, as in `messages(conversationId: "c1")`: all items link to it. */
  function namedOwners({ owner }: ListCost, args: Arguments): ReachedObjects[] {
    const type = owner && schema.getType(owner.type);
    const id = owner && args[owner.argument];
    if (!root || !isObjectType(type) || typeof id !== 'string') return [];
    return [{ ...root, type, key: toKey({ type: type.name, id }), isUnfetched: true }];
  }

  /**
   * `key` identifies what is fetched: the same key is charged once. `more`: calls that it may make beyond. `least`: the fewest; two
   * lists may share their calls, and what is below another field may have no objects.
   */
  function charge(
    key: string,
    path: string,
    calls: number,
    more = 0,
    least = path.includes('.') ? 0 : 1,
  ): void {
    if (charged.has(key)) return;
    charged.add(key);
    expected += calls;
    slack += more;
    const own = callsByPath.get(path) ?? { least: 0, expected: 0, slack: 0 };
    callsByPath.set(path, own);
    own.least = least;
    own.expected += calls;
    own.slack += more;
  }

  /** The key of an object that is known by its id. */
  function toKey({ type, id }: ObjectKey): string {
    return `${type}:${numberOf(id)}`;
  }

  /**
   * Numbers the ids, arguments and pages, so that keys hold short numbers and not the texts: a client may repeat a variable of a
   * megabyte under hundreds of fields. A text that was seen is found again without reading it.
   */
  function numberOf(value: unknown): number {
    const number = numbers.get(value) ?? numbers.size;
    numbers.set(value, number);
    return number;
  }
}

const callsOf = (page: RequestedPage): number =>
  page instanceof BadPageError ? 0 : page.cost.expected + page.cost.slack;

/** The fields of a connection, and of its edges, that hold its items. */
const ITEM_FIELDS: readonly string[] = ['nodes', 'node'];

const keyOf = ({ key }: ReachedObjects, name: string): string => `${key}>${name}`;

const toSelectedField = (
  parent: ReachedObjects,
  field: FieldNode,
  definition: GraphQLField<unknown, unknown>,
) => ({
  parent,
  field,
  definition,
  type: getNamedType(definition.type),
  /** Identifies the objects of this field of these parents. */
  key: keyOf(parent, field.name.value),
  path: parent.path === '' ? field.name.value : `${parent.path}.${field.name.value}`,
});
