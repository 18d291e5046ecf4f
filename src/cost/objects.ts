import {
  type FieldNode,
  type GraphQLObjectType,
  getNamedType,
  isAbstractType,
  isLeafType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';
import { BadPageError } from '../paging/errors.ts';
import { costOf } from './declaration.ts';
import type { PricedOperation } from './estimate.ts';

/** Each id in a list of ids costs as much work as this many objects, even if it is invalid and fetches nothing. */
export const OBJECTS_PER_GIVEN_ID = 20;
/** A page of a list takes the time and memory of this many links, even if it is empty. */
const LINKS_PER_LIST = 3;
/** The name of a field in the answer costs bytes: a longer one counts as several objects. Unit: characters. */
const NAME_CHARACTERS_PER_OBJECT = 64;

/** How large an answer may be. */
interface Size {
  /** Objects and values. */
  readonly objects: number;
  /** Links and lists. Each costs a promise, even if it needs no call, and so more than an object that arrives inside its parent. */
  readonly links: number;
}

const NOTHING: Size = { objects: 0, links: 0 };

/**
 * Counts the objects, values and links that an answer may hold. The number of calls does not bound them: a link back to a
 * known object costs no call, so one page under each of a hundred messages is a hundred pages in the answer. Takes time
 * linear in the document, even if fragments are nested.
 */
export function countObjects({
  schema,
  operation,
  selection,
  argumentsOf,
  pageOf,
}: PricedOperation): Size {
  const counted = new Map<SelectionSetNode, Map<string, Size>>();
  const root = schema.getRootType(operation.operation);
  return root ? sizeBelow(root, operation.selectionSet) : NOTHING;

  /** What is below one object of a type; each selection set is counted once for each type. */
  function sizeBelow(
    type: GraphQLObjectType,
    selectionSet: SelectionSetNode | undefined,
  ): Size {
    if (selectionSet === undefined) return NOTHING;
    const byType = counted.get(selectionSet) ?? new Map<string, Size>();
    counted.set(selectionSet, byType);
    const known = byType.get(type.name);
    if (known !== undefined) return known;
    let { objects, links } = NOTHING;
    for (const field of distinct(selection.fieldsOf(selectionSet, type))) {
      const size = sizeOf(type, field);
      objects += size.objects;
      links += size.links;
    }
    const sum = { objects, links };
    byType.set(type.name, sum);
    return sum;
  }

  function sizeOf(parent: GraphQLObjectType, field: FieldNode): Size {
    const definition = parent.getFields()[field.name.value];
    if (definition === undefined) {
      // One `__typename` is part of its object, because clients add it to each; only aliases can repeat it.
      return field.alias === undefined ? NOTHING : { objects: weigh(field), links: 0 };
    }
    const type = getNamedType(definition.type);
    if (isLeafType(type)) return { objects: weigh(field), links: 0 };
    const types = isObjectType(type)
      ? [type]
      : isAbstractType(type)
        ? schema.getPossibleTypes(type)
        : [];
    const below = types.map((one) => sizeBelow(one, field.selectionSet));
    const each = {
      objects: weigh(field) + Math.max(0, ...below.map(({ objects }) => objects)),
      links: Math.max(0, ...below.map(({ links }) => links)),
    };
    const cost = costOf(definition);
    if (cost?.kind === 'fetch') {
      const ids = argumentsOf(definition, field)[cost.argument];
      const item = { ...each, objects: each.objects + OBJECTS_PER_GIVEN_ID };
      return Array.isArray(ids) ? times(item, ids.length) : each;
    }
    if (cost?.kind === 'link') {
      const isFree = selection.selectsOnlyIds(field.selectionSet);
      return isFree ? each : { ...each, links: each.links + 1 };
    }
    if (cost?.kind !== 'list') return each;
    const page = pageOf(field, argumentsOf(definition, field));
    const { objects, links } =
      page instanceof BadPageError ? each : times(each, page.size);
    return { objects, links: links + LINKS_PER_LIST };
  }
}

const times = ({ objects, links }: Size, count: number): Size => ({
  objects: objects * count,
  links: links * count,
});

/** Without the fields without selections that repeat another: the answer has each name once. */
function distinct(fields: readonly FieldNode[]): readonly FieldNode[] {
  const names = new Set<string>();
  return fields.filter(({ alias, name, selectionSet }) => {
    const { value } = alias ?? name;
    const isNew = !names.has(value);
    if (selectionSet === undefined) names.add(value);
    return isNew;
  });
}

/** How many objects a field counts as, without what it holds. */
export const weigh = ({ alias, name }: FieldNode): number =>
  1 + Math.floor((alias ?? name).value.length / NAME_CHARACTERS_PER_OBJECT);

/** Counts the ids that the root fields of an operation give in lists, without reading them. */
export function countGivenIds({
  schema,
  operation,
  selection,
  argumentsOf,
}: PricedOperation): number {
  const root = schema.getRootType(operation.operation);
  if (!root) return 0;
  let count = 0;
  for (const field of selection.fieldsOf(operation.selectionSet, root)) {
    const definition = root.getFields()[field.name.value];
    if (definition === undefined) continue;
    const cost = costOf(definition);
    if (cost?.kind !== 'fetch') continue;
    const ids = argumentsOf(definition, field)[cost.argument];
    if (Array.isArray(ids)) count += ids.length;
  }
  return count;
}
