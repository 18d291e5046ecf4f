import type { GraphQLResolveInfo } from 'graphql';
import { selectsOnlyIds } from '../document/selection.ts';

/** Loads the object behind an id, unless only its id is selected, which costs no call. */
export async function followLink<T extends { readonly id: string }>(
  id: string,
  load: (id: string) => Promise<T | null>,
  info: GraphQLResolveInfo,
): Promise<T | null> {
  const selectionSets = info.fieldNodes.map(({ selectionSet }) => selectionSet);
  // Fields that are not selected are not resolved, so an object with only an id is enough.
  return selectsOnlyIds(selectionSets, info) ? ({ id } as T) : load(id);
}
