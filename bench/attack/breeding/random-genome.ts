import type { GraphQLSchema } from 'graphql';
import type { Random } from '../../../src/embedded/sample/random.ts';
import type { Genome } from '../genome/genome.ts';
import { ALONE, PLAIN_TRANSPORT } from '../genome/plain.ts';
import { randomSelection } from './random-selection.ts';
import { randomService } from './random-service.ts';

/** A request that has no parents. */
export function randomGenome(schema: GraphQLSchema, random: Random): Genome {
  const type = random.chance(0.75) ? 'query' : 'mutation';
  const root =
    (type === 'query' ? schema.getQueryType() : schema.getMutationType()) ?? null;
  return {
    name: 'random',
    type,
    selections: Array.from({ length: 1 + random.below(2) }, () =>
      randomSelection(root, schema, random),
    ),
    variables: {},
    padding: '',
    paddings: 0,
    operations: 0,
    ...ALONE,
    extensions: null,
    transport: { ...PLAIN_TRANSPORT, token: random.chance(0.8) ? 'a token' : 'none' },
    service: randomService(random),
  };
}
