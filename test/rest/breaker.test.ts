import { describe, expect, test } from 'vitest';
import { createBreaker } from '../../src/rest/breaker.ts';
import type { OutgoingRequest } from '../../src/rest/chain.ts';
import { OverloadedError, RestNetworkError } from '../../src/rest/errors.ts';
import type { HttpResponse } from '../../src/rest/request.ts';

const CALL = { method: 'GET', route: '/v1/messages' } as const;

/** A breaker with a clock that tests set, and a way to make calls end as they like. */
function createScene() {
  let now = 0;
  let hasConnection = true;
  const breaker = createBreaker({
    now: () => now,
    hadConnection: () => hasConnection,
  });
  const never = new AbortController().signal;
  const answered = (status: number) => async () => ({
    status,
    headers: {},
    text: '',
    bytes: 0,
  });
  const run = (attempt: () => Promise<HttpResponse>, signal = never) =>
    breaker
      .layer(attempt)({ call: CALL, signal } as OutgoingRequest)
      .then(
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
    disconnect() {
      hasConnection = false;
    },
  };
}

const lost = async () => {
  throw new RestNetworkError(CALL, {
    kind: 'unreachable',
    mayHaveLeft: true,
    cause: null,
  });
};

/** Its time ran out: while it waited for a connection, or for an answer. */
const timedOut = (mayHaveLeft: boolean) => async () => {
  throw new RestNetworkError(CALL, { kind: 'timeout', mayHaveLeft, cause: null });
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
  const looking = Promise.withResolvers<HttpResponse>();

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
    Promise.withResolvers<HttpResponse>(),
  );
  const old = [
    run(() => slowFailure?.promise as Promise<HttpResponse>),
    run(() => slowSuccess?.promise as Promise<HttpResponse>),
  ];
  await answer(500, 20);
  wait(1001);
  const first = run(() => looking?.promise as Promise<HttpResponse>);

  slowSuccess?.resolve({ status: 200, headers: {}, text: '', bytes: 0 });
  slowFailure?.resolve({ status: 500, headers: {}, text: '', bytes: 0 });
  await Promise.all(old);
  expect(breaker.state).toBe('half-open');
  looking?.resolve({ status: 200, headers: {}, text: '', bytes: 0 });
  await first;

  expect(breaker.state).toBe('closed');
});

test('calls that waited behind others for a connection say nothing of the service', async () => {
  const { breaker, run, answer } = createScene();

  for (let turn = 0; turn < 100; turn += 1) await run(timedOut(false));
  expect(breaker.state).toBe('closed');
  // Not even that it is well: these are all the calls there were.
  await answer(500, 20);

  expect(breaker.state).toBe('open');
});

test('calls that got no answer in time count, and so do those for which no connection came about', async () => {
  const silent = createScene();
  for (let turn = 0; turn < 20; turn += 1) await silent.run(timedOut(true));
  const swallowed = createScene();
  swallowed.disconnect();
  for (let turn = 0; turn < 20; turn += 1) await swallowed.run(timedOut(false));

  expect([silent.breaker.state, swallowed.breaker.state]).toEqual(['open', 'open']);
});

test('a call that waited behind others while looking leaves the looking to the next', async () => {
  const { breaker, answer, answered, run, wait } = createScene();
  await answer(500, 20);
  wait(1001);
  await run(timedOut(false));

  expect(breaker.state).toBe('open');
  expect(await run(answered(200))).toBe(200);
  expect(breaker.state).toBe('closed');
});

describe('while one call that looks hangs', () => {
  /** Open for a second, and one call that looks has not come back. */
  async function createHanging() {
    const scene = createScene();
    await scene.answer(500, 20);
    scene.wait(1001);
    const hanging = Promise.withResolvers<HttpResponse>();
    const looking = scene.run(() => hanging.promise);
    const fail = async () => {
      hanging.reject(await lost().catch((error) => error));
      await looking;
    };
    const succeed = async () => {
      hanging.resolve(await scene.answered(200)());
      await looking;
    };
    return { ...scene, fail, succeed };
  }

  test('another is let through each second, and closes the circuit', async () => {
    const { breaker, answered, run, wait, fail } = await createHanging();
    wait(999);
    expect(await run(answered(200))).toBeInstanceOf(OverloadedError);
    wait(2);

    expect(await run(answered(200))).toBe(200);
    expect(breaker.state).toBe('closed');
    await fail();
    expect(breaker.state).toBe('closed');
  });

  test('another that fails keeps it open for one more second', async () => {
    const { breaker, answered, run, wait } = await createHanging();
    wait(1001);
    const late = Promise.withResolvers<HttpResponse>();
    const second = run(() => late.promise);
    wait(500);
    late.reject(await lost().catch((error) => error));
    await second;

    expect(breaker.state).toBe('open');
    wait(999);
    expect(await run(answered(200))).toBeInstanceOf(OverloadedError);
    wait(2);
    expect(await run(answered(200))).toBe(200);
  });

  test('it closes the circuit all the same when it comes back well', async () => {
    const { breaker, run, wait, succeed } = await createHanging();
    wait(1001);
    await run(lost);

    await succeed();

    expect(breaker.state).toBe('closed');
  });

  test('its failure puts off no other that looks', async () => {
    const { run, answered, wait, fail } = await createHanging();
    wait(1001);
    await run(lost);
    wait(900);

    await fail();
    wait(101);

    expect(await run(answered(200))).toBe(200);
  });

  test('and the service fails once more, it has no say in that', async () => {
    const { breaker, answer, answered, run, wait, succeed } = await createHanging();
    wait(1001);
    await run(answered(200));
    await answer(500, 20);

    await succeed();

    expect(breaker.state).toBe('open');
  });
});
