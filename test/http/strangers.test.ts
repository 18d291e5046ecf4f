import { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import {
  addStranger,
  enqueue,
  forgetStranger,
  nextTurns,
  takeStranger,
} from '../../src/http/strangers.ts';

/** Strangers of one network, which wait for their turns. */
function wait(count: number, remoteAddress = '10.0.0.9') {
  const make = () =>
    Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
  const sockets = Array.from({ length: count }, make);
  onTestFinished(() => sockets.forEach(forgetStranger));
  const strangers = sockets.map(addStranger);
  strangers.forEach(enqueue);
  return { sockets, strangers };
}

// security: flooding-connections
test('one that had its turn, and could not be parsed in it, is the first in the next', () => {
  const { sockets, strangers } = wait(6);
  nextTurns();
  expect([takeStranger(), takeStranger()]).toEqual([sockets[0], sockets[5]]);
  // The first has used up the time of this round.
  if (strangers[0] !== undefined) strangers[0].turn = null;
  for (const stranger of [strangers[0], strangers[5]]) if (stranger) enqueue(stranger);
  nextTurns();

  expect(takeStranger()).toBe(sockets[5]);
  expect(takeStranger()).toBe(sockets[1]);
});

// security: flooding-connections
test('of more than 2,048 that wait, those in the middle of the largest network are closed', () => {
  const few = wait(3, '10.0.0.1').sockets;
  const many = wait(2145, '10.0.0.2').sockets;
  const closed = many.flatMap(({ destroyed }, index) => (destroyed ? [index] : []));

  expect(closed).toHaveLength(100);
  expect(Math.min(...closed)).toBeGreaterThan(900);
  expect(Math.max(...closed)).toBeLessThan(1300);
  expect(few.filter(({ destroyed }) => destroyed)).toEqual([]);
});
