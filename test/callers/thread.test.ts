import { setImmediate as settle } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Cancellation, IS_OVER } from '../../src/callers/abort.ts';
import { FairSlots } from '../../src/callers/shares.ts';
import { createThread, type Thread } from '../../src/callers/thread.ts';
import { accepted, stranger } from '../support/callers.ts';

/** Operations that are ended together. */
class Operations extends Cancellation {
  readonly #places: (() => void)[] = [];

  takesPlace(giveBack: () => void): void {
    this.#places.push(giveBack);
  }

  /** The first one that has begun is answered. */
  endOne(): void {
    this.#places.shift()?.();
  }
}

/** A thread whose clock and phases the test moves. */
function createScene({ toCaller = accepted, most = 100 } = {}) {
  let clock = 0;
  let steps: (() => void)[] = [];
  const done: string[] = [];
  const signal = new Operations();
  const thread = createThread({
    now: () => clock,
    putOff: (step) => void steps.push(step),
    places: new FairSlots(most),
  });
  return {
    thread,
    done,
    signal,
    /** Asks for a turn of this caller and then works this long; false if the turn has to be waited for. Unit: milliseconds. */
    work(
      caller: string,
      name: string,
      ms: number,
      turnOf: Thread['turnOf' | 'turnOfNew' | 'turnToGoOn'] = thread.turnOf,
    ): boolean {
      const begin = () => {
        done.push(name);
        clock += ms;
      };
      const turn = turnOf(toCaller(caller), signal);
      if (turn === undefined) begin();
      else turn.then(begin);
      return turn === undefined;
    },
    /** Runs what was put off to the next phase, each step with all that it begins. */
    async nextPhase() {
      const now = steps;
      steps = [];
      for (const step of now) {
        step();
        await settle();
      }
    },
    /** What is still put off. */
    get isIdle() {
      return steps.length === 0;
    },
  };
}

describe('the work of one phase', () => {
  test('begins at once while it has taken little time', () => {
    const { work } = createScene();

    const began = [0.5, 0.5, 0.5, 5, 0.1].map((ms, index) => work('ann', `${index}`, ms));

    expect(began).toEqual([true, true, true, true, false]);
  });

  test('does not count in the next phase', async () => {
    const { work, nextPhase } = createScene();

    work('ann', 'long', 50);
    await nextPhase();

    expect(work('ann', 'next', 1)).toBe(true);
  });
});

describe('what waits', () => {
  test('begins in the next phases, each time until the time is up', async () => {
    const { work, nextPhase, done } = createScene();
    work('ann', 'first', 5);
    for (const name of ['a', 'b', 'c', 'd', 'e']) work('ann', name, 1.5);

    const phases: string[][] = [];
    while (done.length < 6) {
      const before = done.length;
      await nextPhase();
      phases.push(done.slice(before));
    }

    expect(phases).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  test('begins one by one, however long each takes', async () => {
    const { work, nextPhase, done } = createScene();
    for (const name of ['first', 'a', 'b']) work('ann', name, 100);

    await nextPhase();
    expect(done).toEqual(['first', 'a']);
    await nextPhase();
    expect(done).toEqual(['first', 'a', 'b']);
  });

  test('goes on with a result that has begun before it begins others of its caller', async () => {
    const { work, nextPhase, done, thread } = createScene();
    work('ann', 'other', 5);
    for (const name of ['second', 'third']) work('ann', name, 5);
    for (const name of ['bob 1', 'bob 2']) work('bob', name, 5);
    work('ann', 'first goes on', 5, thread.turnToGoOn);

    while (done.length < 6) await nextPhase();

    expect(done.slice(1)).toEqual(['first goes on', 'bob 1', 'second', 'bob 2', 'third']);
  });

  // security: whole-thread
  test('goes round between callers, and keeps the order of each', async () => {
    const { work, nextPhase, done } = createScene();
    work('ann', 'first', 5);
    for (const name of ['ann 1', 'ann 2', 'ann 3', 'bob 1', 'bob 2', 'cid 1']) {
      work(name.slice(0, 3), name, 5);
    }

    while (done.length < 7) await nextPhase();

    expect(done.slice(1)).toEqual(['ann 1', 'bob 1', 'cid 1', 'ann 2', 'bob 2', 'ann 3']);
  });

  // security: made-up-tokens
  test('goes round between callers that were never accepted in one turn of theirs', async () => {
    const toCaller = (token: string | null) =>
      token === 'ann' ? accepted(token) : stranger(token);
    const { work, nextPhase, done, thread } = createScene({ toCaller });
    work('ann', 'first', 5);
    for (const name of ['x1', 'x1', 'x2', 'x3', 'ann', 'ann'])
      work(name, name, 5, thread.turnOfNew);

    while (done.length < 7) await nextPhase();

    expect(done.slice(1)).toEqual(['x1', 'ann', 'x2', 'ann', 'x3', 'x1']);
  });

  // security: sockets-of-strangers
  test.each([
    ['one caller', (token: string | null) => accepted(token === 'bob' ? token : 'ann')],
    [
      'strangers',
      (token: string | null) => (token === 'bob' ? accepted(token) : stranger(token)),
    ],
  ])('ends what has begun before it begins more, for %s', async (_, toCaller) => {
    const { work, nextPhase, done, thread } = createScene({ toCaller });
    work('x1', 'first', 5);
    for (const name of ['x2 new', 'x1 new', 'bob new', 'bob also new'])
      work(name.slice(0, name.indexOf(' ')), name, 5, thread.turnOfNew);
    for (const name of ['x1 begun', 'x3 begun']) work(name.slice(0, 2), name, 5);

    while (done.length < 7) await nextPhase();

    expect(done.slice(1)).toEqual([
      'x1 begun',
      'bob new',
      'x3 begun',
      'bob also new',
      'x2 new',
      'x1 new',
    ]);
  });

  // security: sockets-of-strangers
  test('begins no new operation until one of its caller ends, beside what has begun', async () => {
    const scene = createScene({ most: 10 });
    const { work, nextPhase, done, thread, signal } = scene;
    const names = [...'abcdefghij'];

    const began = names.map((name) => work('ann', name, 0, thread.turnOfNew));
    expect(began.filter((isBegun) => isBegun)).toHaveLength(8);
    expect(work('bob', 'of bob', 5, thread.turnOfNew)).toBe(true);
    work('ann', 'begun', 0);
    for (let phase = 0; phase < 5; phase += 1) await nextPhase();
    expect(done).toEqual([...'abcdefgh', 'of bob', 'begun']);
    expect(scene.isIdle).toBe(true);

    for (const name of 'ij') {
      signal.endOne();
      await nextPhase();
      expect(done.at(-1)).toBe(name);
    }
  });

  test('is given up by a request that is aborted', async () => {
    const { work, nextPhase, done, thread, signal } = createScene();
    work('ann', 'first', 5);
    for (const name of ['new', 'also new']) work('ann', name, 0, thread.turnOfNew);
    work('ann', 'begun', 0);

    signal.abort(IS_OVER);
    await settle();
    expect(done).toEqual(['first', 'new', 'also new']);

    await nextPhase();
    expect(done.slice(3)).toEqual(['begun']);
  });

  test('keeps no new work from beginning at once between two phases', async () => {
    const { work, nextPhase } = createScene();
    for (const name of ['first', 'a', 'b']) work('ann', name, 5);
    await nextPhase();

    expect(work('bob', 'new', 1)).toBe(true);
  });

  test('goes before an operation of a stranger that has just come', async () => {
    const toCaller = (token: string | null) =>
      token === 'bob' ? accepted(token) : stranger(token);
    const { work, nextPhase, thread } = createScene({ toCaller });
    for (const name of ['first', 'a', 'b']) work('x1', name, 5);
    await nextPhase();

    expect(work('x2', 'new of a stranger', 1, thread.turnOfNew)).toBe(false);
    expect(work('bob', 'new', 1, thread.turnOfNew)).toBe(true);
  });

  test('begins in its order, however much waits, and then nothing is put off any more', async () => {
    const scene = createScene();
    const { work, nextPhase, done } = scene;
    const names = Array.from({ length: 500 }, (_, index) => `${index}`);
    for (const name of names) work('ann', name, 3);

    for (let phase = 0; phase <= names.length; phase += 1) await nextPhase();

    expect(done).toEqual(names);
    expect(scene.isIdle).toBe(true);
  });
});
