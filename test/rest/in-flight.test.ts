import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { createMeters, toByteBounds } from '../../src/rest/bytes.ts';
import type { CallHandler } from '../../src/rest/chain.ts';
import { OverloadedError, TooManyBytesError } from '../../src/rest/errors.ts';
import { InFlight } from '../../src/rest/in-flight.ts';
import type { EndedCall } from '../../src/rest/observe.ts';
import { path } from '../../src/rest/path.ts';
import { createRedactor } from '../../src/rest/redact.ts';
import type { HttpResponse, Outcome } from '../../src/rest/request.ts';
import { createParse } from '../../src/rest/response.ts';
import { Send } from '../../src/rest/send.ts';
import { accepted } from '../support/callers.ts';

const ANSWER: HttpResponse = { status: 200, headers: {}, text: '{}', bytes: 2 };

/** What makes the same read with one token, as operations of its own do; `ended` learns of the end of each. */
function createReads(call: CallHandler, ended: (call: EndedCall) => void) {
  const { open } = createMeters(toByteBounds(0));
  const inFlight = new InFlight();
  return (signal = new AbortController().signal) =>
    new Send(
      {
        signal,
        deadline: Number.POSITIVE_INFINITY,
        observer: {
          headers: {},
          begin() {
            throw new Error('not called');
          },
          ended,
        },
        budget: { spend: () => {} },
        meter: open(accepted('ann-token')),
        redact: createRedactor('ann-token'),
      },
      { call, inFlight, onDrift: () => {}, parse: createParse('none') },
    )
      .get(path`/messages`, () => 'read')
      .catch((error: Error) => error.name);
}

// security: joined-reads
test('of thousands that wait for one GET, one too many is refused, and its end is reported', async () => {
  const outcomes: Outcome[] = [];
  const errors: unknown[] = [];
  const read = createReads(
    (_request, outcome) => outcomes.push(outcome),
    ({ error }) => errors.push(error),
  );

  const first = Array.from({ length: 3201 }, () => read());
  expect(await read()).toBe('OverloadedError');
  expect(errors).toEqual([expect.any(OverloadedError)]);
  outcomes[0]?.resolve(ANSWER);

  expect(new Set(await Promise.all(first))).toEqual(new Set(['read']));
  expect(outcomes).toHaveLength(1);
});

test('as many may wait again once those before have their answer, or have left', async () => {
  const outcomes: Outcome[] = [];
  const read = createReads(
    (_request, outcome) => outcomes.push(outcome),
    () => {},
  );
  const leaving = new AbortController();
  const first = Array.from({ length: 3201 }, (_, index) =>
    read(index % 2 === 0 ? undefined : leaving.signal),
  );
  leaving.abort();
  outcomes[0]?.resolve(ANSWER);
  await Promise.all(first);

  const second = Array.from({ length: 3201 }, () => read());
  outcomes[1]?.resolve(ANSWER);

  expect(new Set(await Promise.all(second))).toEqual(new Set(['read']));
});

test('a read that another operation began is begun anew if that one may read no more, and reported as its own', async () => {
  const operation = new AsyncLocalStorage<string>();
  const ends: unknown[] = [];
  let calls = 0;
  const read = createReads(
    ({ call }, outcome) => {
      calls += 1;
      const isFirst = calls === 1;
      setTimeout(
        () =>
          isFirst
            ? outcome.reject(new TooManyBytesError(call, 'was given up', true))
            : outcome.resolve(ANSWER),
        20,
      );
    },
    ({ error }) => ends.push(`${operation.getStore()} ${error === null}`),
  );

  const answers = await Promise.all(
    ['ann', 'bob', 'cid'].map((name) => operation.run(name, () => read())),
  );

  expect(answers).toEqual(['TooManyBytesError', 'read', 'read']);
  expect(calls).toBe(2);
  expect(ends.toSorted()).toEqual([
    'ann false',
    'bob false',
    'bob true',
    'cid false',
    'cid true',
  ]);
});

test('a read that is aborted while it waits for its turn is not begun anew', async () => {
  const leaving = new AbortController();
  let calls = 0;
  const read = createReads(
    ({ call }, outcome) => {
      calls += 1;
      const isFirst = calls === 1;
      setTimeout(() => {
        if (!isFirst) return outcome.resolve(ANSWER);
        outcome.reject(new TooManyBytesError(call, 'was given up', true));
        leaving.abort();
      }, 20);
    },
    () => {},
  );

  const answers = await Promise.all([read(), read(leaving.signal)]);

  expect(answers).toEqual(['TooManyBytesError', 'RestNetworkError']);
  expect(calls).toBe(1);
});
