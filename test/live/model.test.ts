import { expect, test } from 'vitest';
import type { NewestEnd } from '../../src/live/window.ts';
import type { Message } from '../../src/messaging/message.ts';
import { OverloadedError } from '../../src/rest/errors.ts';
import {
  collect,
  startLive,
  statusError,
  TOUCHED,
  toMessage,
  toWindow,
} from './support.ts';

/** Unit: items. */
const WINDOW = 8;
const STEPS = 1500;

/** Numbers from 0 to 1 that are the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The list of the service, newest first, and what polls have seen of it. */
function createModel(random: () => number) {
  let list: Message[] = [];
  let count = 0;
  const anyIndex = () => Math.floor(random() * Math.min(list.length, 2 * WINDOW));
  const create = () => {
    count += 1;
    list = [toMessage(`m${count}`, count), ...list];
  };
  const change = () => {
    const index = anyIndex();
    count += 1;
    list = list.map((one, at) => (at === index ? { ...one, message: `v${count}` } : one));
  };
  const remove = () => {
    const index = anyIndex();
    list = list.filter((_one, at) => at !== index);
  };
  for (let begun = 0; begun < 5; begun += 1) create();
  return {
    list: () => list,
    act() {
      const dice = random();
      if (dice < 0.5 || list.length === 0) create();
      else if (dice < 0.75) change();
      else remove();
    },
  };
}

/**
 * What a comparison of two polls says, by all that the service knows: a message is created if the whole list did not have
 * it, and deleted if the whole list has it no more and the window reaches to its place.
 */
function difference(before: readonly Message[], now: readonly Message[]): string[] {
  const [old, window] = [before.slice(0, WINDOW), now.slice(0, WINDOW)];
  const has = (list: readonly Message[], { id }: Message) =>
    list.some((one) => one.id === id);
  const oldest = now.length <= WINDOW ? 0 : (window.at(-1)?.createdAt ?? 0);
  const merged = window.map((one) => ({ message: one, isGone: false }));
  for (const message of old) {
    if (has(now, message) || message.createdAt < oldest) continue;
    const older = merged.findIndex((one) => one.message.createdAt < message.createdAt);
    merged.splice(older === -1 ? merged.length : older, 0, { message, isGone: true });
  }
  return merged.flatMap(({ message, isGone }) => {
    if (isGone) return [`-${message.id}`];
    if (!has(before, message)) return [`+${message.id}`];
    const known = old.find(({ id }) => id === message.id);
    return known && known.message !== message.message ? [`~${message.id}`] : [];
  });
}
const openCircuit = () =>
  new OverloadedError({ method: 'GET', route: '/v1/messages' }, 'not made');

test.each([
  [1, 'head'],
  [2, 'head'],
  [3, 'tail'],
  [4, 'tail'],
] as const)(
  'the events are what comparing the polls says, whatever happens, in order: seed %i, newest at the %s',
  async (seed, end: NewestEnd) => {
    const random = createRandom(seed);
    const model = createModel(random);
    const expected: string[] = [];
    const outcomes = { good: 0, failed: 0, limited: 0, open: 0 };
    let last: readonly Message[] | null = null;
    const live = startLive(() => {
      const dice = last === null ? 1 : random();
      if (dice < 0.1) {
        outcomes.failed += 1;
        throw statusError(503);
      }
      if (dice < 0.15) {
        outcomes.limited += 1;
        throw statusError(429, 3);
      }
      if (dice < 0.2) {
        outcomes.open += 1;
        throw openCircuit();
      }
      outcomes.good += 1;
      const now = model.list();
      const changes = last === null ? [] : difference(last, now);
      expected.push(...(end === 'head' ? changes : changes.toReversed()));
      last = now;
      return toWindow(end === 'head' ? now : now.toReversed(), WINDOW, end);
    });
    const subscribers = await Promise.all([live.watch(), live.watch(), live.watch()]);
    const collected = subscribers.map(collect);

    for (let step = 0; step < STEPS; step += 1) {
      const changes = random() < 0.1 ? Math.floor(random() * 2 * WINDOW) : 1;
      for (let change = 0; change < changes; change += 1) model.act();
      if (random() < 0.3) live.wrote(TOUCHED, 'ben');
      await live.clock.advance(random() * 4000);
    }

    const [first, ...others] = collected.map(({ events }) => events);
    expect(first).toEqual(expected);
    for (const events of others) expect(events).toEqual(first);
    expect(expected.length).toBeGreaterThan(STEPS / 2);
    expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(20);
  },
);
