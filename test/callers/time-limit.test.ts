import { setImmediate as nextPhase, setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  createOperationTime,
  createTimeLimit,
  Lifetime,
} from '../../src/callers/time-limit.ts';

/** A time limit whose ends run functions. */
function createLimit(ms: number) {
  const limit = createTimeLimit(ms);
  return (handleEvent: () => void) => limit({ handleEvent });
}

test('each is ended when its own time is up, unless it has stopped before', async () => {
  const limit = createLimit(60);
  const late: string[] = [];
  limit(() => late.push('first'));
  const second = limit(() => late.push('second'));
  await sleep(30);
  limit(() => late.push('third'));
  second.stop();
  second.stop();

  await expect.poll(() => late).toEqual(['first', 'third']);
});

test('no time is up early, and the timer runs again after a pause', async () => {
  const limit = createLimit(50);
  for (const _ of [1, 2]) {
    const began = performance.now();
    const took = await new Promise<number>((resolve) => {
      const { expires } = limit(() => resolve(performance.now() - began));
      expect(expires).toBeGreaterThanOrEqual(began + 50);
    });
    expect(took).toBeGreaterThanOrEqual(50);
  }
});

test('what stops others while their time is up ends each once', async () => {
  const limit = createLimit(20);
  const late: string[] = [];
  limit(() => {
    late.push('first');
    second.stop();
  });
  const second = limit(() => late.push('second'));

  await sleep(60);
  expect(late).toEqual(['first']);
});

test('thousands whose time is up in one moment are ended in several phases of the event loop', async () => {
  const limit = createLimit(20);
  const phases = new Set<number>();
  let phase = 0;
  let late = 0;
  for (let index = 0; index < 1000; index += 1) {
    limit(() => {
      late += 1;
      phases.add(phase);
    });
  }
  while (late < 1000) {
    await nextPhase();
    phase += 1;
  }

  expect(phases.size).toBeGreaterThan(5);
});

test.each(['before', 'after'])(
  'an operation gives back its place once, taken %s it has ended',
  (when) => {
    const lifetime = new Lifetime(createOperationTime(60));
    let places = 1;
    const take = () => {
      places -= 1;
      lifetime.takesPlace(() => {
        places += 1;
      });
    };

    if (when === 'before') take();
    lifetime.stopDeadline();
    if (when === 'after') take();
    lifetime.stopDeadline();

    expect(places).toBe(1);
  },
);
