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
function wait(count: number) {
  const sockets = Array.from({ length: count }, () => new Socket());
  onTestFinished(() => sockets.forEach(forgetStranger));
  const strangers = sockets.map(addStranger);
  strangers.forEach(enqueue);
  return { sockets, strangers };
}

// security: flooding-connections
test('the oldest and the newest have turns alternately', () => {
  const { sockets } = wait(4);
  nextTurns();
  const taken = sockets.map(() => takeStranger());

  expect(taken.map((socket) => sockets.indexOf(socket as Socket))).toEqual([0, 3, 1, 2]);
});

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
