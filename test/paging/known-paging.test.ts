import { expect, test } from 'vitest';
import { createEndpointMemory } from '../../src/paging/known-endpoints.ts';
import type {
  KnownPaging,
  TrialName,
  TrialResult,
} from '../../src/paging/known-paging.ts';

const MINUTE = 60_000;

function startMemory() {
  const clock = { now: 0 };
  const learned: (string | null)[] = [];
  const memory = createEndpointMemory({
    now: () => clock.now,
    onLearned: ({ paging }) => learned.push(paging),
  });
  const pagingOf = (key: string) =>
    memory.of('/v1/messages?conversation_id=c1', { key }).paging;
  return { clock, learned, memory, pagingOf, paging: pagingOf('ann') };
}

/** Makes one run with these results; without one, `no`. Returns the trials that were made. */
function run(
  paging: KnownPaging,
  results: Partial<Record<TrialName, TrialResult>>,
  isNeeded = false,
): TrialName[] | null {
  const trials = paging.begin(isNeeded);
  if (trials === null) return null;
  const made: TrialName[] = [];
  for (let trial = trials.next(); trial !== null; trial = trials.next()) {
    made.push(trial);
    trials.note(trial, results[trial] ?? 'no');
  }
  trials.end();
  return made;
}

const UNCLEAR = {
  starting_after: 'unclear',
  offset: 'unclear',
  page: 'unclear',
} as const;

test('where no style works, a caller tries them again after an hour', () => {
  const { clock, learned, paging } = startMemory();

  expect(run(paging, {})).toEqual(['starting_after', 'offset', 'page']);
  clock.now += 59 * MINUTE;
  expect(run(paging, {}, true)).toBe(null);
  clock.now += 2 * MINUTE;
  expect(run(paging, { offset: 'yes' })).toEqual(['starting_after', 'offset']);
  expect(paging.learned()?.name).toBe('offset');
  expect(learned).toEqual(['limit', 'offset']);
});

test('what is unclear is tried again, with five calls at most, and then after a minute', () => {
  const { clock, paging } = startMemory();

  expect(run(paging, UNCLEAR)).toEqual(['starting_after', 'offset', 'page']);
  expect(run(paging, UNCLEAR)).toEqual(['starting_after', 'offset']);
  expect(run(paging, UNCLEAR)).toBe(null);
  clock.now += MINUTE;
  expect(run(paging, UNCLEAR)).toEqual(['starting_after', 'offset', 'page']);
});

test('a head that took two calls with one left is followed by a new run after a minute', () => {
  const { clock, paging } = startMemory();
  run(paging, UNCLEAR);
  const trials = paging.begin();
  // Two of five are left. A head takes two calls where its limit is refused.
  trials?.noteCall();
  trials?.noteCall();
  trials?.noteCall();
  trials?.end();

  expect(run(paging, UNCLEAR)).toBe(null);
  clock.now += MINUTE;
  expect(run(paging, UNCLEAR)).toEqual(['starting_after', 'offset', 'page']);
});

test('a style in doubt is tried first, at most once a minute', () => {
  const { clock, paging } = startMemory();
  run(paging, { page: 'yes' });

  paging.doubt();
  expect(run(paging, { page: 'yes' })).toEqual(['page']);
  paging.doubt();
  expect(paging.learned()?.name).toBe('page');
  clock.now += MINUTE;
  paging.doubt();
  expect(run(paging, { offset: 'yes' })).toEqual(['page', 'starting_after', 'offset']);
  expect(paging.learned()?.name).toBe('offset');
});

test('a doubt that no answer confirms changes nothing', () => {
  const { learned, paging } = startMemory();
  run(paging, { offset: 'yes' });
  paging.doubt();

  run(paging, UNCLEAR);
  run(paging, UNCLEAR);

  expect(paging.learned()?.name).toBe('offset');
  expect(learned).toEqual(['offset']);
});

test('one run of a caller is under way at a time, and others can wait for its end', async () => {
  const { paging } = startMemory();
  const trials = paging.begin();
  let isSettled = false;
  const waiting = paging.settled().then(() => {
    isSettled = true;
  });

  expect(paging.begin(true)).toBe(null);
  await Promise.resolve();
  expect(isSettled).toBe(false);
  trials?.end();
  await waiting;
  expect(paging.begin()).not.toBe(null);
});

test('callers leave it to another one to learn for a second, if they need no style now', () => {
  const { clock, paging, pagingOf } = startMemory();
  paging.begin();

  expect(pagingOf('bob').begin()).toBe(null);
  expect(pagingOf('cy').begin(true)).not.toBe(null);
  clock.now += 1000;
  expect(pagingOf('bob').begin()).not.toBe(null);
});

test('a style that one caller has found serves all, and a caller at which it fails finds its own', () => {
  const { learned, paging, pagingOf } = startMemory();
  run(paging, { offset: 'yes' });
  const bob = pagingOf('bob');
  expect(bob.learned()?.name).toBe('offset');

  bob.doubt();
  expect(run(bob, { page: 'yes' })).toEqual(['offset', 'starting_after', 'page']);

  expect([bob, paging, pagingOf('cy')].map((one) => one.learned()?.name)).toEqual([
    'page',
    'offset',
    'offset',
  ]);
  expect(learned).toEqual(['offset']);
});

test('a style at which three callers have found another one gives way to it', () => {
  const { learned, paging, pagingOf } = startMemory();
  run(paging, { offset: 'yes' });
  for (const key of ['bob', 'bob', 'cy', 'dee']) {
    expect(pagingOf('eve').learned()?.name).toBe('offset');
    pagingOf(key).doubt();
    run(pagingOf(key), { page: 'yes' });
  }

  expect(pagingOf('eve').learned()?.name).toBe('page');
  expect(learned).toEqual(['offset', 'page']);
});

test('what one caller has not found, another one looks for; three that found nothing are enough for an hour', () => {
  const { clock, pagingOf } = startMemory();
  run(pagingOf('ann'), UNCLEAR);
  run(pagingOf('ann'), UNCLEAR);
  for (const key of ['bob', 'cy', 'dee'])
    expect(run(pagingOf(key), {})).toEqual(['starting_after', 'offset', 'page']);

  expect(run(pagingOf('eve'), {})).toBe(null);
  expect(run(pagingOf('eve'), {}, true)).toEqual(['starting_after', 'offset', 'page']);
  clock.now += 60 * MINUTE;
  expect(run(pagingOf('fay'), { page: 'yes' })).toHaveLength(3);
  expect(pagingOf('gus').learned()?.name).toBe('page');
});

// security: made-up-headers
test('what one token has found with several values of a header counts once', () => {
  const { pagingOf } = startMemory();
  for (const org of ['a', 'b', 'c']) run(pagingOf(`token:${org}`), {});

  expect(run(pagingOf('eve'), { page: 'yes' })).toEqual([
    'starting_after',
    'offset',
    'page',
  ]);
});

const OFFSET = { name: 'offset', hasBack: true, unknownId: 'first' };

test.each([
  ['a style', OFFSET, 'offset'],
  ['another name', { ...OFFSET, name: 'limit' }, undefined],
  ['no direction', { ...OFFSET, hasBack: undefined }, undefined],
  ['another answer to an unknown id', { ...OFFSET, unknownId: 'empty' }, undefined],
  ['nothing', null, undefined],
])('of another process, only a style is taken over: %s', (_, fact, paging) => {
  const memory = createEndpointMemory({
    facts: { share() {}, listen: (hear) => hear('endpoint /v1/messages', fact) },
  });

  expect(memory.learned()[0]?.paging).toBe(paging);
});
