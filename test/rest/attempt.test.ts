import { expect, test } from 'vitest';
import { FairSlots } from '../../src/callers/shares.ts';
import { turnOf } from '../../src/callers/thread.ts';
import { attempts } from '../../src/rest/attempt.ts';
import type { Breaker } from '../../src/rest/breaker.ts';
import type { OutgoingRequest } from '../../src/rest/chain.ts';
import type { HttpResponse, Outcome } from '../../src/rest/request.ts';
import { accepted } from '../support/callers.ts';

const ANN = accepted('ann');

/** A call that was sent. `outcome` ends it. `enter` is that of the breaker. */
function send(enter = () => ({})) {
  const events: string[] = [];
  const sent = Promise.withResolvers<Outcome>();
  const call = attempts({
    admission: {
      refusalOf: () => null,
      enter: (request, listener) => listener.begin(request),
      release: () => void events.push('connection is free'),
    },
    breaker: {
      refusalOf: () => null,
      enter,
      answered() {},
      failed: () => void events.push('breaker knows'),
    } as unknown as Breaker,
    send() {},
    retries: 0,
    pauses: new FairSlots(1),
  });
  const observed = {
    send(_request: unknown, outcome: Outcome) {
      sent.resolve(outcome);
    },
    answered() {},
    failed() {},
  };
  const request = {
    caller: ANN,
    signal: new AbortController().signal,
    progress: { attempts: 0 },
    observer: { begin: () => observed },
  };
  call(request as unknown as OutgoingRequest, {
    resolve: () => void events.push('answered'),
    reject: () => void events.push('failed'),
  });
  return { events, sent: sent.promise };
}

// security: all-connections
test('a call that is answered gives its connection back at once, although its answer waits for a turn of its caller', async () => {
  const { events, sent } = send();
  const outcome = await sent;
  turnOf(ANN);
  // Longer than the work of one phase may take.
  for (const until = performance.now() + 5; performance.now() < until; );

  outcome.resolve({ status: 200, headers: {} } as HttpResponse);

  expect(events).toEqual(['connection is free']);
  await expect.poll(() => events).toEqual(['connection is free', 'answered']);
});

test('a call that the breaker does not let through, once it has a connection, gives that back and is rejected', async () => {
  const { events } = send(() => {
    throw new Error('open');
  });

  await expect.poll(() => events).toContain('failed');
  expect(events).toEqual(['connection is free', 'failed']);
});
