import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { CallerId } from '../../src/callers/caller-id.ts';
import { FairSlots } from '../../src/callers/shares.ts';
import { Admission } from '../../src/rest/admission.ts';
import type { OutgoingRequest } from '../../src/rest/chain.ts';
import { OverloadedError, RestNetworkError } from '../../src/rest/errors.ts';
import { accepted, stranger } from '../support/callers.ts';

const CALL = { method: 'POST', route: '/v1/messages' } as const;

/** Admission to calls that end when the test says so. */
function createScene({
  connections = 1,
  maxQueue = 100,
  timeoutMs = 20_000,
  operationTimeoutMs = 60_000,
  toCaller = accepted,
} = {}) {
  const admission = new Admission({
    connections,
    maxQueue,
    timeoutMs,
    operationTimeoutMs,
    isLagging: () => false,
  });
  /** The callers of the calls that were sent, in order, and what ends each. */
  const sent: string[] = [];
  const ends: (() => void)[] = [];
  /** Makes a call; returns what became of it: 200, or an error. */
  async function call(token: string, signal = new AbortController().signal) {
    const caller = toCaller(token);
    const request = { call: CALL, caller, signal } as unknown as OutgoingRequest;
    const refusal = admission.refusalOf(request);
    if (refusal !== null) return refusal;
    return new Promise((resolve) => {
      const begin = () => {
        sent.push(caller.token);
        ends.push(() => {
          admission.release(caller);
          resolve(200);
        });
      };
      admission.enter(request, { begin, fail: resolve });
    });
  }
  return {
    admission,
    sent,
    call,
    async endOne() {
      ends.shift()?.();
      await setImmediate();
    },
  };
}

describe('a call that waits for its turn', () => {
  // security: whole-thread
  test('gives others their turn if many end in one moment', async () => {
    const { call } = createScene({ maxQueue: 1000, timeoutMs: 50 });
    call('ann');
    let phase = 0;
    const phases: number[] = [];
    const ends = Array.from({ length: 200 }, async () => {
      const end = await call('ann');
      expect(end).toMatchObject({ kind: 'timeout', mayHaveLeft: false });
      phases.push(phase);
      // Only as long as an operation works on it.
      for (const until = performance.now() + 0.2; performance.now() < until; );
    });

    while (phases.length < ends.length) {
      await setImmediate();
      phase += 1;
    }
    await Promise.all(ends);

    expect(new Set(phases).size).toBeGreaterThan(5);
  });

  // security: all-connections
  test('gets it in turns of the callers, in which those whose tokens were never accepted are one', async () => {
    const toCaller = (token: string | null) =>
      token?.startsWith('x') ? stranger(token) : accepted(token);
    const { call, sent, endOne } = createScene({ toCaller });
    const names = ['x1', 'x1', 'x1', 'x2', 'x3', 'ann', 'ann', 'bob'];
    const calls = names.map((name) => call(name));

    while (sent.length < 8) await endOne();
    await endOne();

    expect(sent).toEqual(['x1', 'x1', 'ann', 'bob', 'x2', 'ann', 'x3', 'x1']);
    expect(await Promise.all(calls)).toEqual(Array(8).fill(200));
  });

  // security: write-after-leaving
  test.each([
    ['while it waits', 20],
    ['before', 0],
  ])('leaves the queue unsent when its operation is aborted: %s', async (_, ms) => {
    // Its own time to wait is longer than a test may take.
    const times = { timeoutMs: 600_000, operationTimeoutMs: 600_000 };
    const { admission, call, sent, endOne } = createScene(times);
    const first = call('ann');
    const signal = ms === 0 ? AbortSignal.abort() : AbortSignal.timeout(ms);

    const error = await call('ann', signal);

    expect(error).toBeInstanceOf(RestNetworkError);
    expect(error).toMatchObject({ kind: 'timeout', mayHaveLeft: false });
    expect(admission.waiting).toBe(0);
    await endOne();
    expect(await first).toBe(200);
    expect(sent).toEqual(['ann']);
    expect(admission.running).toBe(0);
  });

  // security: overload
  test.each([
    ['a call', 'REST_TIMEOUT_MS', { timeoutMs: 20 }],
    ['an operation', 'OPERATION_TIMEOUT_MS', { operationTimeoutMs: 20 }],
  ])('waits at most half the time that %s may take', async (_, setting, times) => {
    const { admission, call, endOne } = createScene(times);
    const first = call('ann');

    const error = await call('ann');

    expect(error).toMatchObject({ kind: 'timeout', mayHaveLeft: false });
    expect((error as Error).message).toBe(
      `POST /v1/messages got no answer: it waited longer than 10 ms for a connection (half of ${setting})`,
    );
    expect(admission.waiting).toBe(0);
    await endOne();
    expect(await first).toBe(200);
  });

  // security: overload
  test('does not begin once its time to wait is up', async () => {
    const { call, sent, endOne } = createScene({ timeoutMs: 200 });
    const first = call('ann');
    const second = call('ann');
    // The thread is busy, so no timer has ended the call yet.
    for (const until = performance.now() + 100; performance.now() < until; );

    await endOne();

    expect(await first).toBe(200);
    expect(await second).toMatchObject({ kind: 'timeout', mayHaveLeft: false });
    expect(sent).toEqual(['ann']);
  });
});

describe('when the queue is full of calls whose tokens were never accepted', () => {
  /** Tokens are `name@network`; that of Ann was accepted. */
  const toCaller = (token: string | null) => {
    const [name = null, address] = token?.split('@') ?? [];
    return name === 'ann' ? accepted(name) : stranger(name, address);
  };

  /** One connection, for which calls wait. */
  function createFull(waiting: readonly string[]) {
    const scene = createScene({ maxQueue: 20, toCaller });
    const first = scene.call('first@a');
    const calls = waiting.map((name) => scene.call(name));
    /** What became of each. */
    async function ends() {
      while (scene.admission.running > 0) await scene.endOne();
      expect(await first).toBe(200);
      return Promise.all(calls);
    }
    return { ...scene, calls, ends };
  }
  const REFUSED = expect.any(OverloadedError);

  // security: made-up-tokens
  test('one that comes takes the place of the newest of the token with the most', async () => {
    const { call, ends, sent } = createFull(Array(12).fill('many@a'));
    const others = ['one', 'two', 'three', 'four'].map((name) => call(`${name}@a`));

    const many = await ends();

    expect(await Promise.all(others)).toEqual(Array(4).fill(200));
    expect(many).toEqual([...Array(9).fill(200), ...Array(3).fill(REFUSED)]);
    expect(sent.slice(0, 6)).toEqual(['first', 'many', 'one', 'two', 'three', 'four']);
  });

  // security: made-up-tokens
  test('one of another network takes it from the network with the most, although each token there has one', async () => {
    const many = Array.from({ length: 30 }, (_, index) => `x${index}@a`);
    const { call, ends } = createFull(many);
    const others = Array.from({ length: 6 }, () => call('one@b'));

    const first = await ends();

    expect(await Promise.all(others)).toEqual(Array(6).fill(200));
    expect(first.filter((end) => end === 200).length).toBeLessThan(13);
  });

  test('one more of those with one call each is refused, and none of the others', async () => {
    const many = Array.from({ length: 30 }, (_, index) => `x${index}@a`);
    const { call, ends } = createFull(many);

    expect(await call('one@a')).toEqual(REFUSED);

    expect((await ends()).slice(0, 13)).toEqual(Array(13).fill(200));
  });

  test('no call of an accepted caller makes room', async () => {
    const { call, ends } = createFull([...Array(16).fill('ann'), 'x@a', 'x@a', 'x@a']);

    const one = call('y@b');

    expect(await ends()).toEqual([...Array(18).fill(200), REFUSED]);
    expect(await one).toBe(200);
  });
});

// security: all-connections
test('one caller leaves room in the queue', async () => {
  const { call, endOne } = createScene({ maxQueue: 8 });
  const calls = [...Array<string>(20).fill('ann'), 'bob'].map((name) => call(name));
  for (let turn = 0; turn < 9; turn += 1) await endOne();

  const refused = Array(12).fill(expect.any(OverloadedError));
  expect(await Promise.all(calls)).toEqual([...Array(8).fill(200), ...refused, 200]);
});

/** How many slots these callers get, if each takes as many as it may. */
const takeAll = (slots: FairSlots, ...callers: CallerId[]) =>
  callers.map((caller) => {
    let taken = 0;
    while (slots.acquire(caller)) taken += 1;
    return taken;
  });

describe('slots', () => {
  // security: all-connections
  test.each([
    [0, 0, 0],
    [1, 1, 0],
    [2, 2, 0],
    [4, 3, 1],
    [64, 52, 10],
    [1000, 800, 160],
  ])('of %i, the first caller can take %i and the next %i', (count, first, next) => {
    const slots = new FairSlots(count);

    expect(takeAll(slots, accepted('ann'), accepted('bob'))).toEqual([first, next]);
  });

  test('are shared evenly by two callers that keep wanting more', () => {
    const slots = new FairSlots(64);
    const callers = [accepted('ann'), accepted('bob')] as const;
    const held = takeAll(slots, ...callers);

    for (let turn = 0; turn < 200; turn += 1) {
      const index = turn % 2;
      slots.release(callers[index === 0 ? 0 : 1]);
      const [ofBob = 0, ofAnn = 0] = takeAll(slots, callers[1], callers[0]);
      held[index] = (held[index] ?? 0) - 1;
      held[0] = (held[0] ?? 0) + ofAnn;
      held[1] = (held[1] ?? 0) + ofBob;
    }

    const [ann = 0, bob = 0] = held;
    expect(Math.abs(ann - bob)).toBeLessThanOrEqual(6);
    expect(ann + bob).toBeGreaterThan(50);
  });
});

describe('slots of callers whose tokens the service has not accepted', () => {
  /** How many of a thousand tokens get one each. */
  const takeOneEach = (slots: FairSlots, toAddress: (index: number) => string): number =>
    Array.from({ length: 1000 }, (_, index) =>
      slots.acquire(stranger(`made-up ${index}`, toAddress(index))),
    ).filter(Boolean).length;

  // security: made-up-tokens
  test('are as many together as one caller gets, so that others find some', () => {
    const slots = new FairSlots(64);

    expect(takeOneEach(slots, (index) => `192.0.2.${index}`)).toBe(52);
    expect(slots.hasRoom(stranger('one more'))).toBe(false);
    expect(takeAll(slots, accepted('ann'))).toEqual([10]);
  });

  // security: made-up-tokens
  test('are shared between their networks, and within one: each leaves some to the next', () => {
    const slots = new FairSlots(64);
    expect(takeAll(slots, stranger('ann'), stranger('bob'))).toEqual([34, 7]);
    slots.release(stranger('bob'));
    expect(takeAll(slots, stranger('bob'))).toEqual([1]);

    const others = new FairSlots(64);
    expect(takeOneEach(others, (index) => `2001:db8::${index}`)).toBe(42);
    expect(takeAll(others, stranger('ann', '192.0.2.1'))).toEqual([8]);
  });

  // security: made-up-tokens
  test('are given back as such, although the token is accepted meanwhile', () => {
    const slots = new FairSlots(64);
    let isAccepted = false;
    const callers = Array.from(
      { length: 42 },
      (_, index) => new CallerId(`token ${index}`, () => isAccepted),
    );
    for (const caller of callers) expect(slots.acquire(caller)).toBe(true);
    isAccepted = true;
    for (const caller of callers) slots.release(caller);

    expect(slots.taken).toBe(0);
    const renewed = callers[0]?.renewed() ?? accepted('ann');
    expect(takeAll(slots, stranger('bob'), renewed)).toEqual([34, 24]);
  });
});
