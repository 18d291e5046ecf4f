import { expect, test } from 'vitest';
import { type AbortListener, Cancellation } from '../../src/callers/abort.ts';

/** A listener that runs a function. */
const to = (handleEvent: () => void): AbortListener => ({ handleEvent });

test('an abort runs each listener once, in their order, and those that are added meanwhile', () => {
  const ran: string[] = [];
  const cancellation = new Cancellation();
  const late = to(() => ran.push('late'));
  const first = to(() => {
    ran.push('first');
    cancellation.removeEventListener('abort', first);
    cancellation.addEventListener('abort', late);
  });
  const second = to(() => ran.push('second'));
  for (const listener of [first, second, first, second])
    cancellation.addEventListener('abort', listener);

  cancellation.abort('left');
  cancellation.abort('again');

  expect(ran).toEqual(['first', 'second', 'late']);
  expect(cancellation.reason).toBe('left');
});

test('a listener that is alone may be added during the abort too', () => {
  const ran: string[] = [];
  const cancellation = new Cancellation();
  const only = to(() => {
    ran.push('only');
    cancellation.removeEventListener('abort', only);
    cancellation.addEventListener(
      'abort',
      to(() => ran.push('late')),
    );
  });
  cancellation.addEventListener('abort', only);

  cancellation.abort('left');

  expect(ran).toEqual(['only', 'late']);
});

test('a listener that was removed does not run', () => {
  const ran: string[] = [];
  const cancellation = new Cancellation();
  const [first, second, third] = ['first', 'second', 'third'].map((name) =>
    to(() => ran.push(name)),
  ) as [AbortListener, AbortListener, AbortListener];
  for (const listener of [first, second, third])
    cancellation.addEventListener('abort', listener);
  cancellation.removeEventListener('abort', first);
  cancellation.removeEventListener('abort', second);

  cancellation.abort('left');

  expect(ran).toEqual(['third']);
});
