import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CallerId } from '../../src/callers/caller-id.ts';
import { createSocketPlaces } from '../../src/http/socket/socket-places.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Places with accepted tokens that tests set. */
function createScene(maxSockets: number) {
  const acceptedTokens = new Set<string>();
  const places = createSocketPlaces(maxSockets);
  let opened = 0;
  /** Opens sockets with a token each, or that say nothing; returns how many of them are open now. */
  function open(count: number, token: string | null) {
    const codes: (number | null)[] = Array(count).fill(null);
    let last: Parameters<typeof places.settle>[0] | null = null;
    for (const index of codes.keys()) {
      opened += 1;
      const own = token?.replace('#', `${opened}`);
      const socket = {
        close(code: number) {
          codes[index] = code;
          places.closed(socket);
        },
      };
      last = socket;
      places.open(socket);
      if (own === undefined) continue;
      const caller = new CallerId(own, () => acceptedTokens.has(own));
      if (!places.admit(socket, caller)) socket.close(1013);
    }
    return {
      open: () => codes.filter((code) => code === null).length,
      settle: () => last && places.settle(last),
      /** The client closes the last of them. */
      leave: () => last && places.closed(last),
    };
  }
  return {
    open,
    accept: (token: string) => acceptedTokens.add(token),
    wait: (ms: number) => vi.advanceTimersByTime(ms),
  };
}

type Opened = ReturnType<ReturnType<typeof createScene>['open']>;

// security: endless-sockets
test.each([
  ['of tokens that were never accepted', 'made-up #'],
  ['that say nothing', null],
])('new sockets %s use all that is free, and make room for newer', (_, token) => {
  const { open } = createScene(100);

  const first = open(100, token);
  const next = open(100, token);

  expect([first.open(), next.open()]).toEqual([0, 100]);
});

test('they keep a tenth at most when they are not new any more', () => {
  const { open, accept, wait } = createScene(100);
  const made = open(100, 'made-up #');
  accept('ann');
  wait(30_000);

  const ann = open(20, 'ann');

  expect([made.open(), ann.open()]).toEqual([9, 20]);
});

// security: endless-sockets
test('they take nothing from a caller whose token is accepted, which keeps its sockets', () => {
  const { open, accept } = createScene(100);
  const made = open(100, 'made-up #');
  accept('ann');
  const ann = open(90, 'ann');
  expect([made.open(), ann.open()]).toEqual([19, 80]);

  const more = open(1000, 'made-up #');

  expect([made.open(), more.open(), ann.open()]).toEqual([0, 20, 80]);
});

// security: endless-sockets
test('a socket keeps its place once its token is accepted, however old it is', () => {
  const { open, accept, wait } = createScene(100);
  const ann = open(30, 'ann');
  accept('ann');
  wait(60_000);

  const made = open(200, 'made-up #');

  expect([ann.open(), made.open()]).toEqual([30, 70]);
});

test.each<[string, (scene: ReturnType<typeof createScene>, ann: Opened) => unknown]>([
  ['others open more', ({ open }) => open(200, 'made-up #')],
  ['one of its sockets is looked at, whichever that is', (_scene, ann) => ann.settle()],
  ['it opens one more', ({ open }) => open(1, 'ann')],
])('whose token is accepted after too many keeps its share once %s', (_, settle) => {
  const scene = createScene(100);
  scene.open(5, 'made-up #');
  const ann = scene.open(95, 'ann');
  scene.accept('ann');
  expect(ann.open()).toBe(95);

  settle(scene, ann);

  expect(ann.open()).toBe(80);
});

test('a socket that its client closes gives its place back', () => {
  const { open, accept } = createScene(100);
  accept('ann');
  const ann = open(80, 'ann');
  expect(open(1, 'ann').open()).toBe(0);

  ann.leave();

  expect(open(1, 'ann').open()).toBe(1);
});
