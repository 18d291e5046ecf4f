import fc from 'fast-check';
import type {
  Document,
  Field,
  Fragment,
  Kind,
  Operation,
  Place,
  Variable,
} from './document.ts';
import type { Rig } from './rig.ts';
import type { Pair, Session, Step, Value } from './session.ts';

/** Chooses among values by weight. */
const weighted = <T>(...choices: readonly (readonly [weight: number, value: T])[]) =>
  fc.oneof(
    ...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })),
  );

const place: fc.Arbitrary<Place> = fc.constantFrom(0, 1, 2);
const guards = fc.record({
  skip: fc.option(place, { freq: 2 }),
  include: fc.option(place, { freq: 2 }),
});

const field = {
  target: fc.nat({ max: 11 }),
  place,
  body: fc.nat({ max: 3 }),
  wrap: fc.constantFrom<Field['wrap']>('none', 'inline', 'typed'),
};

const fragment: fc.Arbitrary<Fragment> = fc.record({
  guard: fc.record({ directive: fc.constantFrom('skip', 'include'), place }),
  field: fc.record(field),
});

const variableOf = (kind: fc.Arbitrary<Kind>): fc.Arbitrary<Variable> =>
  fc.record({ kind, hasDefault: weighted([5, false], [1, true]) });

const anyVariable = variableOf(
  weighted<Kind>(
    [8, 'flag'],
    [8, 'id'],
    [1, 'text'],
    [1, 'count'],
    [1, 'json'],
    [1, 'none'],
  ),
);
const flag = variableOf(fc.constant('flag'));

const operation: fc.Arbitrary<Operation> = fc
  .record({
    isMutation: weighted([3, false], [1, true]),
    variables: fc.oneof(
      { weight: 3, arbitrary: fc.tuple(anyVariable, anyVariable, anyVariable) },
      { weight: 1, arbitrary: fc.tuple(flag, flag, flag) },
    ),
    fields: fc.array(fc.record({ ...field, guards }), { maxLength: 2 }),
    spreadsFragments: fc.boolean(),
  })
  .map((made) => (made.isMutation ? made : withoutJson(made)));

/** No read takes JSON. */
function withoutJson(operation: Operation): Operation {
  const variables = operation.variables.map(({ kind, hasDefault }) => ({
    kind: kind === 'json' ? 'id' : kind,
    hasDefault,
  }));
  return { ...operation, variables: variables as never };
}

const document: fc.Arbitrary<Document> = fc.record({
  operations: fc.array(operation, { minLength: 2, maxLength: 3 }),
  fragments: fc.array(fragment, { maxLength: 2 }),
});

/** Mostly the same word, so that what one caller sends is often like what the other sends. */
const word = fc.oneof(
  { weight: 9, arbitrary: fc.constant('a') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('c1', 'gone', 'denied', 'null', 'undefined', '"\'\\', '1'),
  },
);
const truth = fc.constantFrom('true', 'false');
/** Texts and ids: words, words joined by commas, texts that Booleans are written with, and long texts. */
const text = fc.oneof(
  { weight: 9, arbitrary: word },
  { weight: 9, arbitrary: fc.tuple(word, truth, word).map((all) => all.join()) },
  { weight: 1, arbitrary: fc.tuple(truth, word).map((all) => all.join()) },
  { weight: 1, arbitrary: truth },
  { weight: 1, arbitrary: word.map((one) => `${one},`.repeat(300)) },
);

const value: fc.Arbitrary<Value> = fc.record({
  flag: fc.boolean(),
  text,
  count: fc.constantFrom(0, 1, 3, 25, 70, 100, 101),
  json: fc.constantFrom<unknown>(
    'a,true,b',
    true,
    [1, null],
    { toString: 1, valueOf: 1 },
    { a: { b: 'false' } },
  ),
  fit: weighted<Value['fit']>([60, 'fits'], [1, 'missing'], [1, 'null'], [1, 'other']),
});

const stepOf = (who: Step['who']): fc.Arbitrary<Step> =>
  fc.record({
    who: fc.constant(who),
    operation: fc.nat({ max: 2 }),
    values: fc.tuple(value, value, value),
    way: weighted<Step['way']>([10, 'execute'], [1, 'http'], [1, 'hash']),
    times: who === 'B' ? fc.constant(1) : fc.constantFrom(1, 2, 2),
    isBeside: who === 'B' ? fc.constant(false) : weighted([3, false], [1, true]),
    hasToken: who === 'B' ? fc.constant(true) : weighted([5, true], [1, false]),
  });

const pair: fc.Arbitrary<Pair> = fc.record({
  document: fc.nat({ max: 19 }),
  before: fc.array(stepOf('A'), { minLength: 1, maxLength: 2 }),
  first: stepOf('B'),
  between: fc.array(stepOf('A'), { maxLength: 2 }),
  second: fc.option(stepOf('B'), { freq: 3 }),
});

const service = {
  paging: fc.constantFrom<Rig['paging']>('limit', 'starting_after', 'offset', 'page'),
  items: fc.constantFrom(0, 5, 30, 65),
  cap: fc.option(
    fc.record({ limit: fc.constantFrom(10, 20, 50), isRefused: fc.boolean() }),
    { freq: 3 },
  ),
  isLearned: fc.boolean(),
};

/** Services that do the same for all tokens. */
export const sameForAll: fc.Arbitrary<Rig> = fc.record({
  ...service,
  capsAAlone: fc.constant(false),
  troubleOfA: fc.constant<Rig['troubleOfA']>('none'),
});

/** Services that A alone has trouble with. */
export const worseForA: fc.Arbitrary<Rig> = fc.record({
  ...service,
  capsAAlone: fc.boolean(),
  troubleOfA: fc.constantFrom('none', 'slow', 'failing', 'refused', 'broken'),
});

/** The most pairs of one session. About half as many are usual. */
const MAX_PAIRS = 250;
export const USUAL_PAIRS = MAX_PAIRS / 2;

/** Without a bias to small values, which would make most sessions short. */
export const sessionsOver = (rig: fc.Arbitrary<Rig>): fc.Arbitrary<Session> =>
  fc.noBias(
    fc.record({
      rig,
      documents: fc.array(document, { minLength: 1, maxLength: 20, size: 'max' }),
      pairs: fc.array(pair, { minLength: 1, maxLength: MAX_PAIRS, size: 'max' }),
    }),
  );
