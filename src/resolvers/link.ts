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

/** All objects share one array of nodes, and so do all requests for an operation that agree in `@skip` and `@include`. */
const known = new WeakMap<readonly FieldNode[], boolean>();

function needsOnlyId(info: GraphQLResolveInfo): boolean {
  const { fieldNodes } = info;
  let answer = known.get(fieldNodes);
  if (answer === undefined) {
    const selections = fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    answer = selectsOnlyIds(selections, info);
    known.set(fieldNodes, answer);
  }
  return answer;
}
