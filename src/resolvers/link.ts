import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import { selectsOnlyIds } from '../document/selection.ts';

/** Loads the object behind an id, unless only its id is selected, which costs no call. */
export function followLink<T extends { readonly id: string }>(
  id: string,
  load: (id: string) => Promise<T | null>,
  info: GraphQLResolveInfo,
): Promise<T | null> | T {
  // Fields that are not selected are not resolved, so an object with only an id is enough.
  return needsOnlyId(info) ? ({ id } as T) : load(id);
}

/** graphql gives one array of nodes to all items of a list, and a new one to each operation with its variables. */
const known = new WeakMap<readonly FieldNode[], boolean>();

function needsOnlyId(info: GraphQLResolveInfo): boolean {
  const { fieldNodes } = info;
  const answer =
    known.get(fieldNodes) ??
    selectsOnlyIds(
      fieldNodes.map(({ selectionSet }) => selectionSet),
      info,
    );
  known.set(fieldNodes, answer);
  return answer;
}
