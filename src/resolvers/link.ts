import type { GraphQLResolveInfo } from 'graphql';
import { asksOnlyForIds } from '../document/selection.ts';

/** The object behind an id; if nothing but its id is asked for, that costs no call. */
export async function followLink<T extends { readonly id: string }>(
  id: string,
  load: (id: string) => Promise<T | null>,
  info: GraphQLResolveInfo,
): Promise<T | null> {
  const selectionSets = info.fieldNodes.map(({ selectionSet }) => selectionSet);
  // What is not selected is not resolved, so an object with an id alone will do.
  return asksOnlyForIds(selectionSets, info) ? ({ id } as T) : load(id);
}
