import type { GraphQLResolveInfo } from 'graphql';
import { memoizedByNodes, selectsField } from '../document/selection.ts';

/** Makes a function that says whether the field `name` is selected of what the running field returns. */
export const selects = (name: string): ((info: GraphQLResolveInfo) => boolean) =>
  memoizedByNodes((selectionSets, info) => selectsField(selectionSets, name, info));
