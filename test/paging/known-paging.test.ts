import { expect, test } from 'vitest';
import { createEndpointMemory } from '../../src/paging/known-endpoints.ts';
import type { KnownPaging, Trial, Verdict } from '../../src/paging/known-paging.ts';

const MINUTE = 60_000;

function startMemory() {
  const clock = { now: 0 };
  const learned: (string | null)[] = [];
  const memory = createEndpointMemory({
    now: () => clock.now,
    onLearned: ({ paging }) => learned.push(paging),
  });
  return { clock, learned, paging: memory.of('/v1/messages?conversation_id=c1').paging };
}

/** Runs one series with these verdicts; without one, `no`. Returns the trials that were made. */
function run(
  paging: KnownPaging,
  verdicts: Partial<Record<Trial, Verdict>>,
): Trial[] | null {
  const series = paging.begin();
  if (series === null) return null;
  const made: Trial[] = [];
  for (let trial = series.next(); trial !== null; trial = series.next()) {
    made.push(trial);
    series.note(trial, verdicts[trial] ?? 'no');
  }
  series.end();
  return made;
}

test('where no style works, they are tried again after an hour', () => {
  const { clock, learned, paging } = startMemory();

  expect(run(paging, {})).toEqual(['starting_after', 'offset', 'page']);
  clock.now += 59 * MINUTE;
  expect(run(paging, {})).toBe(null);
  clock.now += 2 * MINUTE;
  expect(run(paging, { offset: 'yes' })).toEqual(['starting_after', 'offset']);
  expect(paging.learned()?.name).toBe('offset');
  expect(learned).toEqual(['limit', 'offset']);
});

test('what is unclear is tried again, with five calls at most, and then after a minute', () => {
  const { clock, paging } = startMemory();
  const unclear = { starting_after: 'unclear', offset: 'unclear' } as const;

  expect(run(paging, unclear)).toEqual(['starting_after', 'offset', 'page']);
  expect(run(paging, unclear)).toEqual(['starting_after', 'offset']);
  expect(run(paging, unclear)).toBe(null);
  clock.now += MINUTE;
  expect(run(paging, unclear)).toEqual(['starting_after', 'offset', 'page']);
});

test('a style in doubt is tried first, at most once a minute', () => {
  const { clock, learned, paging } = startMemory();
  run(paging, { page: 'yes' });

  paging.doubt();
  expect(run(paging, { page: 'yes' })).toEqual(['page']);
  paging.doubt();
  expect(paging.learned()?.name).toBe('page');
  clock.now += MINUTE;
  paging.doubt();
  expect(run(paging, { offset: 'yes' })).toEqual(['page', 'starting_after', 'offset']);
  expect(learned).toEqual(['page', 'offset']);
});

test('a doubt that no answer confirms changes nothing', () => {
  const { learned, paging } = startMemory();
  run(paging, { offset: 'yes' });
  paging.doubt();
  const unclear = {
    starting_after: 'unclear',
    offset: 'unclear',
    page: 'unclear',
  } as const;

  run(paging, unclear);
  run(paging, unclear);

  expect(paging.learned()?.name).toBe('offset');
  expect(learned).toEqual(['offset']);
});

test('one series runs at a time, and others can wait for its end', async () => {
  const { paging } = startMemory();
  const series = paging.begin();
  let isSettled = false;
  const waiting = paging.settled().then(() => {
    isSettled = true;
  });

  expect(paging.begin()).toBe(null);
  await Promise.resolve();
  expect(isSettled).toBe(false);
  series?.end();
  await waiting;
  expect(paging.begin()).not.toBe(null);
});
