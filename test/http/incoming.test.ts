import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CallerId } from '../../src/callers/caller-id.ts';
import { createIncoming, type IncomingAccount } from '../../src/http/incoming.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});
const slowly = () => vi.advanceTimersByTime(1000);

/** Tokens that begin with `known` were accepted. All may hold 100 bytes. */
function start() {
  const incoming = createIncoming(
    (name, address) =>
      new CallerId(name, () => name?.startsWith('known') ?? false, address),
    100,
  );
  const lost: string[] = [];
  return {
    lost,
    open(entry: string, name: string | null, address = '192.0.2.1'): IncomingAccount {
      return incoming.open({ name, address }, () => lost.push(entry));
    },
  };
}

describe('when all is held', () => {
  test('the sender with the most loses its oldest', () => {
    const { lost, open } = start();
    expect(open('one', null, '192.0.2.1').hold(30)).toBe(true);
    expect(open('old', null, '192.0.2.2').hold(30)).toBe(true);
    expect(open('new', null, '192.0.2.2').hold(30)).toBe(true);
    expect(open('other', null, '192.0.2.3').hold(20)).toBe(true);

    expect(lost).toEqual(['old']);
  });

  // security: unfinished-bodies
  test('strangers lose first, although a known caller holds more', () => {
    const { lost, open } = start();
    open('stranger', 'made-up').hold(10);
    open('known', 'known-ann').hold(60);

    expect(open('more', 'known-ben').hold(35)).toBe(true);
    expect(lost).toEqual(['stranger']);
    expect(open('late', 'made-up').hold(10)).toBe(false);
    expect(lost).toEqual(['stranger']);
  });

  test('who needs more loses that itself, unless it has something older than a second', () => {
    const { lost, open } = start();
    open('old', null).hold(50);
    open('new', null).hold(40);
    expect(open('third', null).hold(60)).toBe(false);
    expect(lost).toEqual([]);
    slowly();

    expect(open('fourth', null).hold(60)).toBe(true);
    expect(lost).toEqual(['old']);
  });

  // security: unfinished-bodies
  test('who has sent little loses nothing, be it the oldest or the one that needs more', () => {
    const { lost, open } = start();
    open('short', null).hold(1);
    open('long', null).hold(60);
    open('longer', null).hold(39);

    expect(open('another short', null).hold(1)).toBe(true);
    expect(lost).toEqual(['long']);
  });

  // security: unfinished-bodies
  test('strangers of one address count as one, whatever their tokens', () => {
    const { lost, open } = start();
    for (let at = 0; at < 6; at += 1) open(`bad${at}`, `made-up-${at}`).hold(10);
    open('good', null, '192.0.2.9').hold(35);
    slowly();

    open('bad6', 'made-up-6').hold(10);
    expect(lost).toEqual(['bad0']);
  });

  test('who asks for the most loses itself', () => {
    const { lost, open } = start();
    const greedy = open('greedy', null, '192.0.2.2');
    open('small', null).hold(20);
    greedy.hold(70);

    expect(greedy.hold(90)).toBe(false);
    expect(lost).toEqual([]);
    expect(open('next', null, '192.0.2.3').hold(80)).toBe(true);
  });

  test('known callers are told apart by their tokens', () => {
    const { lost, open } = start();
    open('ann', 'known-ann').hold(60);
    open('ben', 'known-ben').hold(30);
    open('ben too', 'known-ben').hold(20);

    expect(lost).toEqual(['ann']);
  });
});

test('what has ended, or holds nothing, counts no more, and begins as the newest', () => {
  const { lost, open } = start();
  const first = open('first', null);
  const second = open('second', null);
  const third = open('third', null);
  first.hold(50);
  second.hold(40);
  first.hold(0);
  first.hold(40);
  third.hold(15);
  expect(lost).toEqual([]);
  third.end();
  third.end();
  slowly();
  third.hold(30);

  expect(lost).toEqual(['second']);
});

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
  ['2001:db8::1', '2001:db8:0:0:5::', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['::1', '::2', true],
  ['192.0.2.1', '192.0.2.2', false],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
])('%s and %s are one address: %s', (one, other, isOne) => {
  const { lost, open } = start();
  open('between', null, '198.51.100.1').hold(40);
  open('one', null, one).hold(35);
  slowly();
  open('other', null, other).hold(35);

  expect(lost).toEqual([isOne ? 'one' : 'between']);
});
