import fc from 'fast-check';
import type { GraphQLObjectType, GraphQLSchema } from 'graphql';
import type { World } from '../oracle/world.ts';
import { createArguments } from './arguments.ts';
import { createInputs } from './inputs.ts';
import { type Operation, printOperation } from './print-operation.ts';
import { changeable, withReadBack } from './read-back.ts';
import type { Selection } from './selection.ts';
import { arbitrarySelections } from './selections.ts';

/** Prefers objects, because what a write has changed shows behind the links of its payload. */
const PAYLOAD = { depthFirst: 3, breadth: 6 };
/** The same for the lists behind those links. */
const READ_BACK = { depthFirst: 6, room: { depth: 4, lists: 1 } };

/** Random valid queries over all types and fields of the schema, about the objects of a world. */
export function arbitraryQuery(
  schema: GraphQLSchema,
  world: World,
): fc.Arbitrary<Operation> {
  const query = schema.getQueryType() as GraphQLObjectType;
  const argumentsOf = createArguments(world);
  return arbitrarySelections(schema, query, { argumentsOf }).map((selections) =>
    printOperation('query', selections),
  );
}

/** Random valid mutations: one or several fields, some of them twice, with random selections of their payloads. */
export function arbitraryMutation(
  schema: GraphQLSchema,
  world: World,
): fc.Arbitrary<Operation> {
  const mutation = schema.getMutationType() as GraphQLObjectType;
  const conversation = schema.getType('Conversation') as GraphQLObjectType;
  const argumentsOf = { ...createArguments(world), ...createInputs(world) };
  const payloads = arbitrarySelections(schema, mutation, { argumentsOf, ...PAYLOAD });
  const any = arbitrarySelections(schema, conversation, { argumentsOf, ...READ_BACK });
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
      const all = back === null ? selections : withReadBack(mutation, selections, back);
      return printOperation('mutation', withRepeat(all, repeated));
    });
}

/** The response name of a mutation field that an operation asks for a second time. */
export const REPEAT = 'repeat';

/** Repeats one field under another response name. Under the same name, GraphQL would merge the two. */
function withRepeat(selections: readonly Selection[], index: number | null): Selection[] {
  const one = index === null ? undefined : selections[index];
  return one?.kind === 'field'
    ? [...selections, { ...one, alias: REPEAT }]
    : [...selections];
}
