import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { ByteQuota } from '../../src/callers/shares.ts';
import { Subscriber } from '../../src/live/subscriber.ts';
import { createStreamOf } from '../../src/operation/stream.ts';

type Make = ReturnType<typeof createStreamOf>;

// security: unread-events
test('a client that reads no events is disconnected when more than a hundred wait for it', () => {
  const quota = new ByteQuota({ inAll: 0, oneCaller: 0 });
  const subscriber = new Subscriber<unknown>(quota, 'ann');
  const ends: unknown[] = [];
  const [operation] = parse('subscription { conversationChanged { kind } }').definitions;
  const log = { info: (entry: unknown) => ends.push(entry) };
  const options = { observers: {}, log } as unknown as Parameters<
    typeof createStreamOf
  >[1];
  const locate = (error: unknown) => error;
  const begun = { request: { plan: { operation } }, subscriber, locate } as unknown;
  const stream = createStreamOf({} as never, options)(
    begun as Parameters<Make>[0],
    { id: 'r', secret: null } as Parameters<Make>[1],
  );
  let isDisconnected = false;
  stream.onOverrun(() => {
    isDisconnected = true;
  });

  const created = { kind: 'CREATED', owner: null, value: null, size: 1 } as const;
  for (let count = 0; count < 100; count += 1)
    subscriber.push([{ ...created, id: `m${count}` }]);
  expect(isDisconnected).toBe(false);
  subscriber.push([{ ...created, id: 'last' }]);

  expect(isDisconnected).toBe(true);
  expect(ends).toMatchObject([{ requestId: 'r', reason: 'overrun' }]);
});
