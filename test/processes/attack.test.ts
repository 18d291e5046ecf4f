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
import { createRandom } from '../../src/embedded/sample/random.ts';
import { resources } from '../../src/messaging/index.ts';
import { createExecutableSchema } from '../../src/resolvers/schema.ts';

const MIB = 2 ** 20;
const schema = createExecutableSchema({ resources });

const find = (name: string): Genome => {
  const found = FIRST_GENERATION.find((genome) => genome.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
};

/** The JSON of a request, whatever its transport; it may have at most 1 MiB. */
function writeJson(genome: Genome) {
  const plain: Genome = {
    ...genome,
    transport: { ...genome.transport, encoding: 'none', oddity: 'none' },
  };
  const { body, headers } = writeRequest(plain, schema, 'ann-token');
  expect(body.length).toBeLessThanOrEqual(MIB);
  return { ...JSON.parse(body.toString()), headers };
}

test('the known requests have names of their own, and are GraphQL of at most 1 MiB', () => {
  for (const genome of FIRST_GENERATION)
    expect(
      parse(writeJson(genome).query).definitions[genome.before === '' ? 0 : 1],
    ).toMatchObject({ operation: genome.type });
  const names = new Set(FIRST_GENERATION.map(({ name }) => name));
  expect(names.size).toBe(FIRST_GENERATION.length);
  const { query, variables, headers } = writeJson(find('junk-ids-under-aliases'));
  expect(query.match(/a\d+_: nodes\(nodeIds: \$x\) \{ nodeId \}/g)).toHaveLength(800);
  expect(variables.x).toEqual(Array(5000).fill('junk'));
  expect(headers).not.toHaveProperty('authorization');
});

test('random requests are the same for the same seed, and have at most 1 MiB', () => {
  function breed(seed: number): Genome[] {
    const random = createRandom(seed);
    const all: Genome[] = [...FIRST_GENERATION, randomGenome(schema, random)];
    const pick = () => all[random.below(all.length)] as Genome;
    while (all.length < FIRST_GENERATION.length + 100)
      all.push(mutate(cross(pick(), pick(), random), schema, random));
    return all.slice(FIRST_GENERATION.length);
  }

  const bred = breed(1);

  expect(bred).toEqual(breed(1));
  expect(bred).not.toEqual(breed(2));
  for (const genome of bred) writeJson(genome);
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

  const failed = { failure: 'answered 500' };

  test.each([
    ['block', slow, [slow, {}, slow], ['block']],
    ['memory', { gained: 180e6 }, [{ gained: 210e6 }, { gained: 220e6 }, {}], ['memory']],
    ['a failure', failed, [failed, failed, failed], ['answered 500']],
    ['slow once', slow, [slow, {}, {}], []],
    ['failed once', failed, [failed, {}, {}], []],
  ])('is one of most repetitions: %s', async (_what, first, later, breaches) => {
    expect(await searchOnce(first, later)).toEqual(breaches);
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
