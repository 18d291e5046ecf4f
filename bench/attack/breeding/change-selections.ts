import {
  type GraphQLCompositeType,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import type { Random } from '../../../src/embedded/sample/random.ts';
import { typeBelow } from '../genome/document.ts';
import type { Genome, Selection } from '../genome/genome.ts';
import { select } from '../genome/plain.ts';
import type { Draft } from './change-genes.ts';
import { randomArguments, randomSelection } from './random-selection.ts';

/** A selection, where it is, and the type that its field belongs to. */
interface Place {
  readonly siblings: Draft<Selection>[];
  readonly index: number;
  readonly parent: GraphQLCompositeType | null;
}

function listPlaces(
  siblings: Draft<Selection>[],
  parent: GraphQLCompositeType | null,
  schema: GraphQLSchema,
): Place[] {
  return siblings.flatMap(({ field, below }, index) => [
    { siblings, index, parent },
    ...listPlaces(below, typeBelow(field, parent, schema), schema),
  ]);
}

function pickPlace(
  draft: Draft<Genome>,
  schema: GraphQLSchema,
  random: Random,
): Place | null {
  const root = schema.getRootType(draft.type as never) ?? null;
  const [first, ...others] = listPlaces(draft.selections, root, schema);
  return first === undefined ? null : random.pick([first, ...others]);
}

/** Adds, removes, replaces or doubles a selection. */
export function changeSelection(
  draft: Draft<Genome>,
  schema: GraphQLSchema,
  random: Random,
): void {
  const place = pickPlace(draft, schema, random);
  if (place === null) {
    draft.selections.push(select('__typename') as Draft<Selection>);
    return;
  }
  const { siblings, index, parent } = place;
  const made = () => randomSelection(parent, schema, random, 2) as Draft<Selection>;
  const own = siblings[index] as Draft<Selection>;
  const below = typeBelow(own.field, parent, schema);
  const change = random.below(below === null ? 4 : 6);
  if (change === 0) siblings.push(made());
  else if (change === 1 && siblings.length > 1) siblings.splice(index, 1);
  else if (change === 2) siblings[index] = made();
  else if (change === 3) siblings.push(structuredClone(own));
  else if (below !== null) {
    own.below.push(randomSelection(below, schema, random, 2) as Draft<Selection>);
  }
}

export function changeArguments(
  draft: Draft<Genome>,
  schema: GraphQLSchema,
  random: Random,
): void {
  const place = pickPlace(draft, schema, random);
  const own = place?.siblings[place.index];
  if (!place || !own) return;
  const { parent } = place;
  if (!isObjectType(parent) && !isInterfaceType(parent)) return;
  own.args = {
    ...own.args,
    ...randomArguments(parent.getFields()[own.field], random),
  } as typeof own.args;
}

/** Turns the value of an argument into a variable, which can be used again. */
export function shareArgument(
  draft: Draft<Genome>,
  schema: GraphQLSchema,
  random: Random,
): void {
  const place = pickPlace(draft, schema, random);
  const own = place?.siblings[place.index];
  if (!place || !own) return;
  const { parent } = place;
  if (!isObjectType(parent) && !isInterfaceType(parent)) return;
  const [first, ...others] = parent.getFields()[own.field]?.args ?? [];
  if (first === undefined) return;
  const { name, type } = random.pick([first, ...others]);
  const value = own.args[name];
  const known = Object.entries(draft.variables).find(
    ([, one]) => one.type === String(type),
  );
  const shared = known?.[0] ?? `v${Object.keys(draft.variables).length}`;
  if (known === undefined) {
    if (value === undefined || JSON.stringify(value).includes('"variable"')) return;
    draft.variables[shared] = { type: String(type), value, isDefault: false };
  }
  own.args[name] = { kind: 'variable', name: shared };
}
