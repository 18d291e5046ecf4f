import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { cross, mutate } from '../../bench/attack/breeding/mutate.ts';
import { randomGenome } from '../../bench/attack/breeding/random.ts';
import type { Genome } from '../../bench/attack/genome/genome.ts';
import { writeRequest } from '../../bench/attack/genome/request.ts';
import { FIRST_GENERATION } from '../../bench/attack/known/first-generation.ts';
import { search } from '../../bench/attack/search.ts';
import { startBeside } from '../../bench/attack/trial/beside.ts';
import { createTries, type Figures, type Tries } from '../../bench/attack/trial/try.ts';
import { createRandom, type Random } from '../../src/embedded/sample/random.ts';
import { createExecutableSchema } from '../../src/resolvers/schema.ts';

const MIB = 2 ** 20;
const schema = createExecutableSchema();

const find = (name: string): Genome => {
  const found = FIRST_GENERATION.find((genome) => genome.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
};

describe('the first generation', () => {
  test('has a name for each request', () => {
    expect(new Set(FIRST_GENERATION.map(({ name }) => name)).size).toBe(
      FIRST_GENERATION.length,
    );
  });

  test.each(
    FIRST_GENERATION.filter(
      ({ transport }) => transport.encoding === 'none' && transport.oddity !== 'OPTIONS',
    ),
  )('is GraphQL of at most 1 MiB: $name', (genome) => {
    const { body } = writeRequest(genome, schema, 'ann-token');

    const { query } = JSON.parse(body.toString());
    expect(body.length).toBeLessThanOrEqual(MIB);
    expect(parse(query).definitions[genome.before === '' ? 0 : 1]).toMatchObject({
      operation: genome.type,
    });
  });

  test('is what its names say', () => {
    const { body, headers } = writeRequest(find('junk-ids-under-aliases'), schema, 'ann');

    const { query, variables } = JSON.parse(body.toString());
    expect(query.match(/a\d+_: nodes\(nodeIds: \$x\) \{ nodeId \}/g)).toHaveLength(800);
    expect(variables.x).toEqual(Array(5000).fill('junk'));
    expect(headers).not.toHaveProperty('authorization');
  });
});

describe('a changed request', () => {
  function breed(random: Random): Genome[] {
    const all: Genome[] = [...FIRST_GENERATION, randomGenome(schema, random)];
    const pick = () => all[random.below(all.length)] as Genome;
    while (all.length < FIRST_GENERATION.length + 100) {
      all.push(mutate(cross(pick(), pick(), random), schema, random));
    }
    return all.slice(FIRST_GENERATION.length);
  }

  test('is the same for the same seed, and another for another', () => {
    expect(breed(createRandom(1))).toEqual(breed(createRandom(1)));
    expect(breed(createRandom(1))).not.toEqual(breed(createRandom(2)));
  });

  test('has at most 1 MiB, whatever its genes say', () => {
    for (const genome of breed(createRandom(3))) {
      const plain = {
        ...genome,
        transport: { ...genome.transport, encoding: 'none' },
      } as const;
      expect(writeRequest(plain, schema, 'ann-token').body.length).toBeLessThanOrEqual(
        MIB,
      );
    }
  });
});

describe('a broken limit', () => {
  const HARMLESS: Figures = {
    blockMs: 1,
    wallMs: 1,
    waitedMs: 1,
    gained: 1,
    held: 1,
    sent: 100,
    copies: 1,
    calls: 0,
    others: {
      asked: 1,
      answered: 1,
      different: 0,
      longestMs: 1,
      p99Ms: 1,
      aloneP99Ms: 1,
    },
    seen: { status: 200, answerBytes: 1, code: null, isLate: false },
    failure: null,
  };

  /** Searches with one request, whose figures are given: first on a used process, then on new ones. */
  async function searchOnce(first: Partial<Figures>, later: readonly Partial<Figures>[]) {
    const left = [...later];
    const tryer: Tries = {
      run: async () => ({ ...HARMLESS, ...first }),
      runFresh: async () => ({ ...HARMLESS, ...left.shift() }),
      async [Symbol.asyncDispose]() {},
    };
    const limits = { blockMs: 300, gained: 200e6, lost: 0.1 };
    const { breaches } = await search({
      seed: 1,
      tries: 1,
      isOver: () => false,
      limits,
      schema,
      tryer,
      onTry() {},
      onBreach() {},
    });
    return breaches.map(({ of }) => of);
  }
  const slow = { blockMs: 400 };

  test.each([
    ['block', slow, [slow, {}, slow]],
    ['memory', { gained: 180e6 }, [{ gained: 210e6 }, { gained: 220e6 }, {}]],
    [
      'answered 500',
      { failure: 'answered 500' },
      Array(3).fill({ failure: 'answered 500' }),
    ],
  ])('is one of most repetitions: %s', async (of, first, later) => {
    expect(await searchOnce(first, later)).toEqual([of]);
  });

  test.each([
    ['slow once', slow, [slow, {}, {}]],
    ['failed once', { failure: 'answered 500' }, [{ failure: 'answered 500' }, {}, {}]],
    ['never', {}, []],
  ])('is none that was %s', async (_what, first, later) => {
    expect(await searchOnce(first, later)).toEqual([]);
  });
});

test('a try measures what a request does to a gateway in its own process', async () => {
  await using beside = await startBeside();
  await using tryer = createTries(beside, schema);

  const small = await tryer.run(find('odd-head-expect'));
  const large = await tryer.run(find('cursors-under-aliases'));

  expect(small.seen).toMatchObject({ status: 417, code: 'BAD_REQUEST' });
  expect(large.seen.status).toBe(200);
  expect(large.seen.answerBytes).toBeGreaterThan(10 * MIB);
  expect(large.calls).toBe(1);
  expect(large.blockMs).toBeGreaterThan(0);
  expect(large.gained).toBeGreaterThan(0);
});
