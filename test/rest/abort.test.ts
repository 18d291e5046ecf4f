import { expect, test } from 'vitest';
import { Cancellation } from '../../src/rest/abort.ts';

test('an abort runs each listener once, in their order, and those that are added meanwhile', () => {
  const ran: string[] = [];
  const cancellation = new Cancellation();
  const late = () => ran.push('late');
  const first = () => {
    ran.push('first');
    cancellation.removeEventListener('abort', first);
    cancellation.addEventListener('abort', late);
  };
  const second = () => ran.push('second');
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
  const only = () => {
    ran.push('only');
    cancellation.removeEventListener('abort', only);
    cancellation.addEventListener('abort', () => ran.push('late'));
  };
  cancellation.addEventListener('abort', only);

  cancellation.abort('left');

  expect(ran).toEqual(['only', 'late']);
});

test('a listener that was removed does not run', () => {
  const ran: string[] = [];
  const cancellation = new Cancellation();
  const [first, second, third] = ['first', 'second', 'third'].map(
    (name) => () => ran.push(name),
  );
  for (const listener of [first, second, third])
    cancellation.addEventListener('abort', listener as () => void);
  cancellation.removeEventListener('abort', first as () => void);
  cancellation.removeEventListener('abort', second as () => void);

  cancellation.abort('left');

  expect(ran).toEqual(['third']);
});
