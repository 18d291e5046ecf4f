import fc from 'fast-check';
import { conversationType, mutationType, queryType } from '../oracle/schema.ts';
import type { World } from '../oracle/world.ts';
import { createArguments } from './arguments.ts';
import { createInputs } from './inputs.ts';
import { type Operation, printOperation } from './print-operation.ts';
import { changeable, withReadBack } from './read-back.ts';
import type { Selection } from './selection.ts';
import { arbitrarySelections } from './selections.ts';

/** Prefers objects: the links of a payload lead to everything that a write changed. */
const PAYLOAD = { depthFirst: 3, breadth: 6 };
/** Prefers them even more, because lists lie behind those links. */
const READ_BACK = { depthFirst: 6, room: { depth: 4, lists: 1 } };

/** Random valid queries over all types and fields of the schema, about the objects of a world. */
export function arbitraryQuery(world: World): fc.Arbitrary<Operation> {
  const argumentsOf = createArguments(world);
  return arbitrarySelections(queryType, { argumentsOf }).map((selections) =>
    printOperation('query', selections),
  );
}

/** Random valid mutations: one or several fields, some of them twice, with random selections of their payloads. */
export function arbitraryMutation(world: World): fc.Arbitrary<Operation> {
  const argumentsOf = { ...createArguments(world), ...createInputs(world) };
  const payloads = arbitrarySelections(mutationType, { argumentsOf, ...PAYLOAD });
  const any = arbitrarySelections(conversationType, { argumentsOf, ...READ_BACK });
  const back = fc
    .tuple(any, fc.constantFrom('first', 'last'))
    .map(([some, end]) => [...changeable(end), ...some]);
  return fc
    .record({
      selections: payloads,
      back: fc.option(back, { freq: 2 }),
      repeated: fc.option(fc.nat({ max: 5 })),
    })
    .map(({ selections, back, repeated }) => {
      const all = back === null ? selections : withReadBack(selections, back);
      return printOperation('mutation', withRepeat(all, repeated));
    });
}

/** The response name of a mutation field that occurs a second time in its operation. */
export const REPEAT = 'repeat';

/** Repeats one field under another response name. Under the same name, GraphQL would merge the two. */
function withRepeat(selections: readonly Selection[], index: number | null): Selection[] {
  const one = index === null ? undefined : selections[index];
  return one?.kind === 'field'
    ? [...selections, { ...one, alias: REPEAT }]
    : [...selections];
}
