import type { FormattedExecutionResult } from 'graphql';
import type { ResultStream } from '../../src/operation/request.ts';

type Next = IteratorResult<FormattedExecutionResult>;

/** The results of a subscription, which a test sends. */
export function createResults() {
  const sent: Next[] = [];
  const waiting: ((result: Next) => void)[] = [];
  const ends: string[] = [];
  let taken = 0;
  let close = () => {};
  const give = (result: Next): void => {
    const wake = waiting.shift();
    if (wake === undefined) sent.push(result);
    else wake(result);
  };
  const finish = () => give({ done: true, value: undefined });
  const results: ResultStream = {
    next() {
      taken += 1;
      return new Promise((resolve) => {
        const first = sent.shift();
        if (first === undefined) waiting.push(resolve);
        else resolve(first);
      });
    },
    async return() {
      results.end('left');
      return { done: true, value: undefined };
    },
    end(reason) {
      ends.push(reason);
      finish();
    },
    eventId: null,
    onOverrun(listener) {
      close = listener;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  return {
    results,
    /** Why they were ended, each time that they were. */
    ends,
    finish,
    taken: () => taken,
    overrun: () => close(),
    send: (data: Record<string, unknown>) => give({ done: false, value: { data } }),
  };
}
