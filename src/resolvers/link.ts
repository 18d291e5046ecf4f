import type { GraphQLResolveInfo } from 'graphql';
import { memoizedByNodes, selectsOnlyIds } from '../document/selection.ts';
import type { Change } from '../live/snapshot.ts';
import type { Identified } from '../rest/list.ts';
import type { GatewayContext } from './context.ts';
import type { Loader, NodeType } from './loaders.ts';

/** Loads the object behind an id, unless only its id is selected, which costs no call. */
export function followLink<T extends Identified>(
  id: string,
  type: NodeType<T>,
  { loaders }: GatewayContext,
  info: GraphQLResolveInfo,
): Promise<T | null> | T {
  // Fields that are not selected are not resolved, so an object with only an id is enough.
  return needsOnlyId(info) ? ({ id } as T) : loaders.of(type).load(id);
}

const needsOnlyId = memoizedByNodes(selectsOnlyIds);

/** The item of an event as it is now; null if it was deleted. Later, it is not fetched again by id. */
export function itemOf<T extends Identified>(
  value: Change<T>['value'],
  loader: Loader<T>,
): Change<T>['value'] {
  if (value !== null && !(value instanceof Error)) loader.prime(value);
  return value;
}
