import { expect, test } from 'vitest';
import { createPoller } from '../../src/live/poll.ts';
import type { Source } from '../../src/live/source.ts';
import type { PageOptions } from '../../src/paging/cost.ts';
import { Cancellation } from '../../src/rest/abort.ts';
import type { RestClient } from '../../src/rest/client.ts';
import type { CallObserver } from '../../src/rest/observe.ts';
import { Deadline } from '../../src/rest/time-limit.ts';
import { accepted } from '../support/callers.ts';

test('a poll of a list that cannot be read stops its time and closes its meter', async () => {
  const ends: string[] = [];
  const createPoll = createPoller({
    client: {
      callerOf: accepted,
      forCaller: () => ({}),
      meters: { open: () => ({ close: () => ends.push('meter') }) },
    } as unknown as RestClient,
    paging: { strategy: 'cursor', bounds: {} } as unknown as PageOptions,
    atOnce: 1,
    time: (end) =>
      Object.assign(new Deadline(0, { handleEvent() {} }), {
        stop: () => ends.push(`time ${end.aborted}`),
      }),
    observe: () => ({}) as CallObserver,
  });
  const source = {
    times: [() => 0],
    list() {
      throw new Error('not an id');
    },
  } as unknown as Source<unknown>;

  await expect(createPoll(source, 'ann-token')(new Cancellation())).rejects.toThrow(
    'not an id',
  );

  expect(ends).toEqual(['time false', 'meter']);
});
