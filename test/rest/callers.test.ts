import { expect, test } from 'vitest';
import { Callers } from '../../src/rest/callers.ts';

test('twenty seconds after the last call that failed, all callers are well', () => {
  let now = 1;
  const callers = new Callers({ perf: { now: () => now }, ttlResolution: 0 });
  const [ann, ben] = [callers.identify('ann'), callers.identify('ben')];
  callers.noteEnd(ann, 'failing', 503, now);
  now += 15_000;
  callers.noteEnd(ben, 'failing', 503, now);
  callers.noteEnd(ben, 'well', 200, now);
  now += 15_000;
  expect(callers.areAllWell).toBe(false);
  now += 15_000;
  expect(callers.areAllWell).toBe(true);
});
