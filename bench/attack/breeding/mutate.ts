import type { GraphQLSchema } from 'graphql';
import type { Random } from '../../../src/embedded/sample/random.ts';
import type { Genome, Value } from '../genome/genome.ts';
import { changeChoice, changeNumber, changeValue, type Draft } from './change-genes.ts';
import { changeArguments, changeSelection, shareArgument } from './change-selections.ts';
import { randomService } from './random-service.ts';
import { randomValue } from './random-value.ts';

/** Returns another genome that differs in one to four genes. */
export function mutate(genome: Genome, schema: GraphQLSchema, random: Random): Genome {
  const draft = structuredClone(genome) as Draft<Genome>;
  const changes = random.pick([1, 1, 2, 2, 3, 4]);
  for (let index = 0; index < changes; index += 1) {
    const change = random.pick([
      changeNumber,
      changeNumber,
      changeChoice,
      changeValue,
      changeSelection,
      changeSelection,
      changeArguments,
      shareArgument,
      changeService,
      changeTurns,
    ]);
    change(draft, schema, random);
  }
  return draft as Genome;
}

/** Returns a genome with parts of both. */
export function cross(one: Genome, other: Genome, random: Random): Genome {
  const mixed = {
    ...one,
    service: random.chance(0.6) ? other.service : one.service,
    transport: random.chance(0.3) ? other.transport : one.transport,
    turns: random.chance(0.5) ? other.turns : one.turns,
    watchers: random.chance(0.3) ? other.watchers : one.watchers,
  };
  if (one.type !== other.type || random.chance(0.6)) return mixed;
  return {
    ...mixed,
    selections: [...one.selections, ...other.selections].slice(0, 6),
    variables: { ...other.variables, ...one.variables },
  };
}

/** Adds a request with other values of some variables, takes one away, or lets B send the document. */
function changeTurns(draft: Draft<Genome>, _: GraphQLSchema, random: Random): void {
  const names = Object.keys(draft.variables);
  const values = Object.fromEntries(
    names
      .filter(() => random.chance(0.7))
      .map((name) => [name, randomValue(random) as Draft<Value>]),
  );
  if (random.chance(0.2)) draft.ofB = random.chance(0.5) ? null : values;
  else if (random.chance(0.3)) draft.turns.pop();
  else if (draft.turns.length < MAX_TURNS)
    draft.turns.push({ values, times: random.pick([1, 2, 3, 20]) });
}

const MAX_TURNS = 5;

function changeService(
  draft: Draft<Genome>,
  _schema: GraphQLSchema,
  random: Random,
): void {
  if (random.chance(0.5))
    draft.service = randomService(random) as Draft<Genome['service']>;
  else draft.extensions = random.chance(0.7) ? null : (randomValue(random) as never);
}
