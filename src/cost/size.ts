import type { FieldNode } from 'graphql';

/** How large an answer may be. */
export interface Size {
  /** Objects and values. */
  readonly objects: number;
  /** Links and lists. Each costs a promise, even if it needs no call, and so more than an object that arrives inside its parent. */
  readonly links: number;
}

export const NOTHING: Size = { objects: 0, links: 0 };

/** A page of a list takes the time and memory of this many links, even if it is empty. */
const LINKS_PER_LIST = 3;
/** Each id in a list of ids costs as much work as this many objects, even if it is invalid and fetches nothing. */
export const OBJECTS_PER_GIVEN_ID = 20;
/** The name of a field in the answer costs bytes: a longer one counts as several objects. Unit: characters. */
const NAME_CHARACTERS_PER_OBJECT = 64;

export const LINK: Size = { objects: 0, links: 1 };
export const LIST: Size = { objects: 0, links: LINKS_PER_LIST };

export const sum = (one: Size, other: Size): Size => ({
  objects: one.objects + other.objects,
  links: one.links + other.links,
});

export const times = ({ objects, links }: Size, count: number): Size => ({
  objects: objects * count,
  links: links * count,
});

export const greater = (one: Size, other: Size): Size => ({
  objects: Math.max(one.objects, other.objects),
  links: Math.max(one.links, other.links),
});

/** Drops repeated leaf fields, because the answer has each name once. */
export function distinct(fields: readonly FieldNode[]): readonly FieldNode[] {
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
