import {
  isObjectType,
  parse,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { type Case, toCase } from '../../bench/attack/case.ts';
import { complete } from '../../bench/attack/change.ts';
import { KNOWN } from '../../bench/attack/known/all.ts';
import { KINDS } from '../../bench/attack/known/kinds.ts';
import { WORST } from '../../bench/attack/known/worst.ts';
import { writeRequest } from '../../bench/attack/request.ts';
import { search } from '../../bench/attack/search.ts';
import { startBeside } from '../../bench/attack/trial/beside.ts';
import { createTries, type Figures, type Tries } from '../../bench/attack/trial/try.ts';
import { createRandom } from '../../src/embedded/sample/random.ts';
import { resources } from '../../src/messaging/index.ts';
import { createExecutableSchema } from '../../src/resolvers/schema.ts';

const MIB = 2 ** 20;
const find = (name: string): Case => {
  const found = KNOWN.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
};

/** The JSON of a request, whatever its transport; it may have at most 1 MiB. */
function writeJson(one: Case) {
  const transport = { ...one.transport, encoding: 'none', oddity: 'none' } as const;
  const { body, headers } = writeRequest({ ...one, transport }, 'ann-token');
  expect(body.length).toBeLessThanOrEqual(MIB);
  return { ...JSON.parse(body.toString()), headers };
}

test('the known requests have names of their own, and are GraphQL of at most 1 MiB', () => {
  for (const one of [...KNOWN, ...WORST])
    expect(
      parse(writeJson(one).query).definitions[one.before === '' ? 0 : 1],
    ).toMatchObject({ operation: one.type });
  const names = new Set(KNOWN.map(({ name }) => name));
  expect(names.size).toBe(KNOWN.length);
  const { query, variables, headers } = writeJson(find('junk-ids-under-aliases'));
  expect(query.match(/a\d+_: nodes\(nodeIds: \$x\) \{ nodeId \}/g)).toHaveLength(800);
  expect(variables.x).toEqual(Array(5000).fill('junk'));
  expect(headers).not.toHaveProperty('authorization');
});

test('new requests begin with documents that are valid, and of which one has each field', () => {
  const schema = createExecutableSchema({ resources });
  const types = new TypeInfo(schema);
  const selected = new Set<string>();
  for (const kind of KINDS) {
    const one = complete(toCase('', kind), createRandom(1));
    const document = parse(writeJson(one).query);
    if (!kind.includes('unknown'))
      expect(validate(schema, document).map(({ message }) => message)).toEqual([]);
    visit(
      document,
      visitWithTypeInfo(types, {
        Field: ({ name }) =>
          void selected.add(`${types.getParentType()?.name}.${name.value}`),
      }),
    );
  }
  const all = Object.values(schema.getTypeMap()).flatMap((type) =>
    !isObjectType(type) || /^__|^Subscription$|Change$/.test(type.name)
      ? []
      : Object.keys(type.getFields()).map((field) => `${type.name}.${field}`),
  );
  expect(all.filter((field) => !selected.has(field))).toEqual([]);
});

describe('a broken limit', () => {
  const HARMLESS: Figures = {
    blockMs: 1,
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
      tryer,
      onTry() {},
    });
    return breaches.map(({ of }) => of);
  }
  const slow = { blockMs: 400 };

  const failed = { failure: 'answered 500' };

  test.each([
    ['block', slow, [slow, {}, slow], ['block']],
    ['memory', { gained: 180e6 }, [{ gained: 210e6 }, { gained: 220e6 }, {}], ['memory']],
    ['a failure', failed, [failed, failed, failed], ['answered 500']],
    ['failed once', failed, [failed, {}, {}], []],
  ])('is one of most repetitions: %s', async (_, first, later, breaches) => {
    expect(await searchOnce(first, later)).toEqual(breaches);
  });
});

test('a try measures what a request does to a gateway in its own process', async () => {
  await using beside = await startBeside();
  await using tryer = createTries(beside);

  const small = await tryer.run(find('odd-head-expect'));
  const large = await tryer.run(find('cursors-under-aliases'));

  expect(small.seen).toMatchObject({ status: 417, code: 'BAD_REQUEST' });
  expect(large.seen.status).toBe(200);
  expect(large.seen.answerBytes).toBeGreaterThan(10 * MIB);
  expect(large.calls).toBe(1);
  expect(large.blockMs).toBeGreaterThan(0);
  expect(large.gained).toBeGreaterThan(0);
});
