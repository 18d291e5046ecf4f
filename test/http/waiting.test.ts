import { expect, test } from 'vitest';
import { createOperationTime, Lifetime } from '../../src/callers/time-limit.ts';
import { createIncoming } from '../../src/http/incoming.ts';
import { WaitingMessages } from '../../src/http/socket/waiting.ts';
import { accepted } from '../support/callers.ts';

test('a message that fails by a bug does not keep those behind it from beginning', async () => {
  const begun: string[] = [];
  const waiting = new WaitingMessages(createIncoming(accepted, 100_000), {
    name: 'ann',
    address: undefined,
    hasRoom: true,
    turnFor: () => undefined,
    handle(data) {
      begun.push(String(data));
      if (begun.length === 1) throw new Error('bug');
    },
  });
  const time = createOperationTime(10_000);
  for (const id of ['a', 'b'])
    waiting.add(id, Buffer.from(id), new Lifetime(time), () => {});

  await expect(waiting.begin()).rejects.toThrow('bug');
  await waiting.begin();

  expect(begun).toEqual(['a', 'b']);
});
