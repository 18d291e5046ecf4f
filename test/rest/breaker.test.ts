import { expect, test } from 'vitest';
import { type Breaker, createBreaker } from '../../src/rest/breaker.ts';
import { OverloadedError, RestNetworkError } from '../../src/rest/errors.ts';
import type { Answer } from '../../src/rest/exchange.ts';

const CALL = { method: 'GET', route: '/v1/messages' } as const;

/** A breaker with a clock that tests set, and a way to make calls end as they like. */
function createScene() {
  let now = 0;
  const breaker = createBreaker(() => now);
  const never = new AbortController().signal;
  const answered = (status: number) => async () => ({
    status,
    headers: {},
    text: '',
    bytes: 0,
  });
  const run = (attempt: Parameters<Breaker['run']>[1], signal = never) =>
    breaker.run(CALL, attempt, signal).then(
      ({ status }) => status,
      (error) => error,
    );
  return {
    breaker,
    run,
    wait: (ms: number) => {
      now += ms;
    },
    async answer(status: number, times = 1) {
      for (let turn = 0; turn < times; turn += 1) await run(answered(status));
    },
    answered,
  };
}

const lost = async () => {
  throw new RestNetworkError(CALL, {
    kind: 'unreachable',
    mayHaveLeft: true,
    cause: null,
  });
};

test('it opens when half of twenty calls failed, and not before', async () => {
  const { breaker, answer, run } = createScene();

  await answer(200, 10);
  await answer(500, 9);
  expect(breaker.state).toBe('closed');
  await run(lost);

  expect(breaker.state).toBe('open');
});

test('nineteen failures do not open it, nor do twenty among twenty-one successes', async () => {
  const few = createScene();
  await few.answer(503, 19);
  const many = createScene();
  await many.answer(200, 21);
  await many.answer(503, 20);

  expect([few.breaker.state, many.breaker.state]).toEqual(['closed', 'closed']);
});

test.each([[400], [401], [404], [429]])(
  'a %i is an answer, and never counts',
  async (status) => {
    const { breaker, answer } = createScene();

    await answer(status, 100);

    expect(breaker.state).toBe('closed');
  },
);

test('open, it lets nothing through and says when to come back', async () => {
  const { answer, run } = createScene();
  await answer(500, 20);
  let calls = 0;

  const error = await run(async () => {
    calls += 1;
    return { status: 200, headers: {}, text: '', bytes: 0 };
  });

  expect(error).toBeInstanceOf(OverloadedError);
  expect(error).toMatchObject({ retryAfterSeconds: 1, outcomeUnknown: false });
  expect(calls).toBe(0);
});

test('after a second it lets one call look, and the others wait', async () => {
  const { breaker, answer, answered, run, wait } = createScene();
  await answer(500, 20);
  wait(1001);
  const looking = Promise.withResolvers<Answer>();

  const first = run(() => looking.promise);
  const second = await run(answered(200));
  expect(breaker.state).toBe('half-open');
  looking.resolve({ status: 200, headers: {}, text: '', bytes: 0 });

  expect(await first).toBe(200);
  expect(second).toBeInstanceOf(OverloadedError);
  expect(breaker.state).toBe('closed');
  expect(await run(answered(200))).toBe(200);
});

test('if that call fails, it is open for another second', async () => {
  const { breaker, answer, run, wait } = createScene();
  await answer(500, 20);
  wait(1001);
  await run(lost);

  expect(breaker.state).toBe('open');
  wait(999);
  expect(await run(lost)).toBeInstanceOf(OverloadedError);
});

test('failures of long ago are forgotten', async () => {
  const { breaker, answer, wait } = createScene();
  await answer(500, 19);
  wait(11_000);
  await answer(500, 19);

  expect(breaker.state).toBe('closed');
});

test('callers who leave say nothing of the service; operations whose time is up do', async () => {
  const gone = AbortSignal.abort();
  const late = AbortSignal.abort(new DOMException('late', 'TimeoutError'));
  const left = createScene();
  for (let turn = 0; turn < 30; turn += 1) await left.run(lost, gone);
  const timedOut = createScene();
  for (let turn = 0; turn < 30; turn += 1) await timedOut.run(lost, late);

  expect([left.breaker.state, timedOut.breaker.state]).toEqual(['closed', 'open']);
});

test('a caller who leaves while looking leaves the looking to the next', async () => {
  const { breaker, answer, answered, run, wait } = createScene();
  await answer(500, 20);
  wait(1001);
  await run(lost, AbortSignal.abort());

  expect(breaker.state).toBe('open');
  expect(await run(answered(200))).toBe(200);
  expect(breaker.state).toBe('closed');
});

test('calls that began before it opened do not decide for the one that looks', async () => {
  const { breaker, answer, run, wait } = createScene();
  const [slowFailure, slowSuccess, looking] = [1, 2, 3].map(() =>
    Promise.withResolvers<Answer>(),
  );
  const old = [
    run(() => slowFailure?.promise as Promise<Answer>),
    run(() => slowSuccess?.promise as Promise<Answer>),
  ];
  await answer(500, 20);
  wait(1001);
  const first = run(() => looking?.promise as Promise<Answer>);

  slowSuccess?.resolve({ status: 200, headers: {}, text: '', bytes: 0 });
  slowFailure?.resolve({ status: 500, headers: {}, text: '', bytes: 0 });
  await Promise.all(old);
  expect(breaker.state).toBe('half-open');
  looking?.resolve({ status: 200, headers: {}, text: '', bytes: 0 });
  await first;

  expect(breaker.state).toBe('closed');
});
