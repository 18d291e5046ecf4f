import { describe, expect, test } from 'vitest';
import { createBreaker } from '../../src/rest/breaker.ts';
import { Callers } from '../../src/rest/callers.ts';
import type { OutgoingRequest } from '../../src/rest/chain.ts';
import {
  OverloadedError,
  RestNetworkError,
  TooManyBytesError,
} from '../../src/rest/errors.ts';
import type { HttpResponse } from '../../src/rest/request.ts';

const CALL = { method: 'GET', route: '/v1/messages' } as const;

/** How a call ends: with a status, or with an error. */
type End = number | Error;

const LOST = new RestNetworkError(CALL, {
  kind: 'unreachable',
  mayHaveLeft: true,
  cause: null,
});
const timedOut = (mayHaveLeft: boolean) =>
  new RestNetworkError(CALL, { kind: 'timeout', mayHaveLeft, cause: null });
const UNANSWERED = timedOut(true);
/** It waited for a connection until its time was up. */
const UNSENT = timedOut(false);

/** How long calls must have had, so that a timeout counts as a failure. Unit: milliseconds. */
const PATIENCE_MS = 5000;

/** A breaker with a clock and connections that tests set, and calls that end as they say. */
function createScene({ hadConnection = true } = {}) {
  let now = 0;
  // The cache takes an entry of the time 0 for one that never ends.
  const callers = new Callers({ perf: { now: () => now + 1 }, ttlResolution: 0 });
  const breaker = createBreaker({
    callers,
    now: () => now,
    hadConnection: () => hadConnection,
    patienceMs: PATIENCE_MS,
  });
  const never = new AbortController().signal;

  /** Starts a call. `end` ends it, and returns its status or its error. */
  function start(signal = never, caller = 'ann') {
    const { promise, resolve } = Promise.withResolvers<End>();
    let wasSent = false;
    const attempt = async () => {
      const request = {
        call: CALL,
        caller: callers.identify(caller),
        signal,
      } as unknown as OutgoingRequest;
      const passage = breaker.enter(request);
      wasSent = true;
      const end = await promise;
      if (typeof end === 'number') {
        breaker.answered(passage, { status: end, headers: {}, text: '', bytes: 0 });
      } else breaker.failed(passage, end, signal);
      return end;
    };
    const result = attempt().catch((error: unknown) => error);
    return {
      wasSent: () => wasSent,
      end(end: End) {
        resolve(end);
        return result;
      },
    };
  }
  const call = (end: End, signal?: AbortSignal) => start(signal).end(end);
  async function calls(times: number, end: End, signal?: AbortSignal) {
    for (let turn = 0; turn < times; turn += 1) await call(end, signal);
  }
  /** Calls at the same time, each of which takes this long. */
  async function callsThatTake(ms: number, times: number, end: End, signal = never) {
    const all = Array.from({ length: times }, () => start(signal));
    now += ms;
    for (const one of all) await one.end(end);
  }
  async function callsOf(caller: string, times: number, end: End) {
    for (let turn = 0; turn < times; turn += 1) await start(never, caller).end(end);
  }
  /** The service fails callers whose tokens it has accepted. */
  async function failSeveral() {
    for (const name of ['ann', 'bob', 'cid']) {
      await callsOf(name, 1, 200);
      await callsOf(name, 7, 500);
    }
  }
  return {
    breaker,
    callers,
    start,
    callsOf,
    failSeveral,
    callsThatTake,
    /** The end of a call that would succeed, or why it was refused. */
    tryAs: (caller: string) => start(never, caller).end(200),
    call,
    calls,
    wait: (ms: number) => {
      now += ms;
    },
  };
}

/** The circuit opened more than a second ago, so the next call is a trial. */
async function createTrying() {
  const scene = createScene();
  await scene.calls(20, 500);
  scene.wait(1001);
  return scene;
}

test.each([
  [10, 9, 'closed'],
  [10, 10, 'open'],
  [0, 19, 'closed'],
  [21, 20, 'closed'],
])(
  'after %i successes and %i failures the circuit is %s',
  async (well, failed, state) => {
    const { breaker, calls } = createScene();

    await calls(well, 200);
    await calls(failed, 500);

    expect(breaker.state).toBe(state);
  },
);

test.each<[what: string, state: string, end: End]>([
  ['400', 'closed', 400],
  ['401', 'closed', 401],
  ['404', 'closed', 404],
  ['429', 'closed', 429],
  ['503', 'open', 503],
  ['a lost connection', 'open', LOST],
])('after calls that end with %s the circuit is %s', async (_what, state, end) => {
  const { breaker, calls } = createScene();

  await calls(100, end);

  expect(breaker.state).toBe(state);
});

test('calls that waited behind others for a connection do not count', async () => {
  const { breaker, calls } = createScene();

  await calls(100, UNSENT);
  expect(breaker.state).toBe('closed');
  // They do not count as successes either.
  await calls(20, 500);

  expect(breaker.state).toBe('open');
});

test('the circuit opens after 20 calls if no connection could be established', async () => {
  const { breaker, calls } = createScene({ hadConnection: false });

  await calls(20, UNSENT);

  expect(breaker.state).toBe('open');
});

const OPERATION_IS_LATE = AbortSignal.abort(new DOMException('late', 'TimeoutError'));

test.each<[state: string, why: string, ms: number, signal: AbortSignal | undefined]>([
  ['closed', 'callers left', PATIENCE_MS, AbortSignal.abort()],
  ['open', 'their time was up', PATIENCE_MS, undefined],
  ['open', 'the time of their operations was up', PATIENCE_MS, OPERATION_IS_LATE],
  ['closed', 'little was left of their time', PATIENCE_MS - 1, undefined],
  ['closed', 'little was left of their operations', PATIENCE_MS - 1, OPERATION_IS_LATE],
])(
  'the circuit is %s after calls that ended without an answer because %s',
  async (state, _why, ms, signal) => {
    const { breaker, callsThatTake } = createScene();

    await callsThatTake(ms, 30, UNANSWERED, signal);

    expect(breaker.state).toBe(state);
  },
);

test('calls that had too little time for an answer do not count as successes either', async () => {
  const { breaker, calls, callsThatTake } = createScene();
  await callsThatTake(PATIENCE_MS - 1, 100, UNANSWERED);
  expect(breaker.state).toBe('closed');

  await calls(20, 500);

  expect(breaker.state).toBe('open');
});

describe('without calls, the state is closed after a while', () => {
  test('if the circuit of one caller is open', async () => {
    const { breaker, callsOf, wait } = createScene();
    await callsOf('ann', 20, 500);

    wait(9000);
    expect(breaker.state).toBe('open');
    wait(6000);
    // Nothing but this reads the states of callers.
    expect(breaker.state).toBe('open');
    wait(10_000);

    expect(breaker.state).toBe('closed');
  });

  test('if the circuit of all callers is open, and then the next call is a trial', async () => {
    const { breaker, start, tryAs, wait, failSeveral } = createScene();
    await failSeveral();

    wait(9000);
    expect(breaker.state).toBe('open');
    wait(15_000);
    expect(breaker.state).toBe('closed');

    const trial = start();
    expect(breaker.state).toBe('half-open');
    expect(await tryAs('dan')).toBeInstanceOf(OverloadedError);
    wait(15_000);
    expect(breaker.state).toBe('half-open');
    await trial.end(200);
    expect(await tryAs('dan')).toBe(200);
  });
});

test('failures are forgotten after ten seconds', async () => {
  const { breaker, calls, wait } = createScene();

  await calls(19, 500);
  wait(11_000);
  await calls(19, 500);

  expect(breaker.state).toBe('closed');
});

test('failures long after the start count, too', async () => {
  const { breaker, calls, wait } = createScene();
  await calls(1, 500);
  wait(60_000);

  await calls(20, 500);

  expect(breaker.state).toBe('open');
});

test.each([
  [8, 'closed'],
  [12, 'open'],
])(
  'calls that went well before the first failure count for ten seconds: after %i seconds more, the circuit is %s',
  async (seconds, state) => {
    const { breaker, calls, wait } = createScene();
    await calls(30, 200);
    wait(1000);
    await calls(3, 200);
    wait(seconds * 1000 - 1000);

    await calls(24, 500);

    expect(breaker.state).toBe(state);
  },
);

test('an open circuit sends nothing, and says when to come back', async () => {
  const { calls, start } = createScene();
  await calls(20, 500);

  const refused = start();

  expect(await refused.end(200)).toBeInstanceOf(OverloadedError);
  expect(await refused.end(200)).toMatchObject({
    retryAfterSeconds: 1,
    outcomeUnknown: false,
  });
  expect(refused.wasSent()).toBe(false);
});

describe('after a second, one call is a trial', () => {
  test('and the others are refused until it closes the circuit', async () => {
    const { breaker, call, start } = await createTrying();

    const trial = start();
    expect(await call(200)).toBeInstanceOf(OverloadedError);
    expect(breaker.state).toBe('half-open');

    expect(await trial.end(200)).toBe(200);
    expect(breaker.state).toBe('closed');
    expect(await call(200)).toBe(200);
  });

  test.each([200, 404, 429])(
    'that closes the circuit of its own caller if it is answered %i',
    async (status) => {
      const { breaker, call } = await createTrying();

      await call(status);

      expect(breaker.state).toBe('closed');
    },
  );

  test('whose failure keeps the circuit open for another second', async () => {
    const { breaker, call, wait } = await createTrying();

    await call(LOST);

    expect(breaker.state).toBe('open');
    wait(999);
    expect(await call(LOST)).toBeInstanceOf(OverloadedError);
  });

  test.each<[what: string, end: End, signal: AbortSignal | undefined]>([
    ['its caller leaves', LOST, AbortSignal.abort()],
    ['it waited behind others for a connection', UNSENT, undefined],
    ['it had too little time for an answer', UNANSWERED, undefined],
    ['its token is refused with a 401', 401, undefined],
    ['its token is refused with a 403', 403, undefined],
    [
      'its operation may read no more',
      new TooManyBytesError(CALL, 'too much', false),
      undefined,
    ],
  ])('and the next call is one too, if %s', async (_what, end, signal) => {
    const { breaker, call } = await createTrying();

    await call(end, signal);

    expect(breaker.state).toBe('open');
    expect(await call(200)).toBe(200);
    expect(breaker.state).toBe('closed');
  });

  test('and calls that began before the circuit opened do not decide for it', async () => {
    const { breaker, calls, start, wait } = createScene();
    const failing = start();
    const succeeding = start();
    await calls(20, 500);
    wait(1001);
    const trial = start();

    await succeeding.end(200);
    await failing.end(500);
    expect(breaker.state).toBe('half-open');
    await trial.end(200);

    expect(breaker.state).toBe('closed');
  });
});

describe('while a trial hangs', () => {
  async function createHanging() {
    const scene = await createTrying();
    return { ...scene, hanging: scene.start() };
  }

  test('each second another call is a trial, and can close the circuit', async () => {
    const { breaker, call, wait, hanging } = await createHanging();
    wait(999);
    expect(await call(200)).toBeInstanceOf(OverloadedError);
    wait(2);

    expect(await call(200)).toBe(200);
    expect(breaker.state).toBe('closed');
    await hanging.end(LOST);
    expect(breaker.state).toBe('closed');
  });

  test('another trial that fails keeps the circuit open for a second from then on', async () => {
    const { breaker, start, call, wait } = await createHanging();
    wait(1001);
    const second = start();
    wait(500);
    await second.end(LOST);

    expect(breaker.state).toBe('open');
    wait(999);
    expect(await call(200)).toBeInstanceOf(OverloadedError);
    wait(2);
    expect(await call(200)).toBe(200);
  });

  test('its success closes the circuit, even after another trial failed', async () => {
    const { breaker, call, wait, hanging } = await createHanging();
    wait(1001);
    await call(LOST);

    await hanging.end(200);

    expect(breaker.state).toBe('closed');
  });

  test('its failure does not delay the next trial', async () => {
    const { call, wait, hanging } = await createHanging();
    wait(1001);
    await call(LOST);
    wait(900);

    await hanging.end(LOST);
    wait(101);

    expect(await call(200)).toBe(200);
  });

  test('its success does not count once the circuit has closed and opened again', async () => {
    const { breaker, call, calls, wait, hanging } = await createHanging();
    wait(1001);
    await call(200);
    await calls(20, 500);

    await hanging.end(200);

    expect(breaker.state).toBe('open');
  });
});

describe('several callers', () => {
  const REFUSED = expect.any(OverloadedError);

  test('have a circuit each: failures of one refuse no other', async () => {
    const { callsOf, tryAs, wait } = createScene();

    for (let turn = 0; turn < 30; turn += 1) {
      await callsOf('ann', 20, 500);
      expect(await tryAs('ann')).toEqual(REFUSED);
      expect(await tryAs('bob')).toBe(200);
      expect(await tryAs(`newcomer ${turn}`)).toBe(200);
      wait(1001);
    }
  });

  test('whose failures recur after each recovery refuse no other', async () => {
    const { breaker, callsOf, tryAs, wait } = createScene();

    for (let turn = 0; turn < 4; turn += 1) {
      await callsOf('ann', 20, 500);
      wait(1001);
      expect(await tryAs('ann')).toBe(200);
    }
    await callsOf('bob', 6, 200);
    await callsOf('bob', 5, 500);

    expect(breaker.state).toBe('closed');
    expect(await tryAs('cid')).toBe(200);
  });

  test('share a circuit, which opens if the calls of others failed, too', async () => {
    const { breaker, callsOf, tryAs } = createScene();

    for (const name of ['ann', 'bob']) await callsOf(name, 1, 200);
    await callsOf('ann', 15, 500);
    await callsOf('bob', 3, 500);
    await callsOf('ann', 1, 500);
    expect(await tryAs('cid')).toBe(200);
    await callsOf('bob', 2, 500);

    expect(breaker.state).toBe('open');
    expect(await tryAs('dan')).toEqual(REFUSED);
  });

  test('are all refused if no connection can be established for one', async () => {
    const { breaker, callsOf, tryAs } = createScene({ hadConnection: false });

    await callsOf('ann', 20, UNSENT);

    expect(breaker.state).toBe('open');
    expect(await tryAs('bob')).toEqual(REFUSED);
  });

  /** The shared circuit is open, but lets Eve through. */
  async function createOpen() {
    const scene = createScene();
    await scene.callsOf('eve', 1, 200);
    await scene.failSeveral();
    return scene;
  }

  test('are let through by the shared circuit if their last call went well, and then close it', async () => {
    const { breaker, tryAs } = await createOpen();
    expect(await tryAs('dan')).toEqual(REFUSED);

    expect(await tryAs('eve')).toBe(200);

    expect(breaker.state).toBe('closed');
    expect(await tryAs('dan')).toBe(200);
  });

  test('get their answers as soon as the service is well to one of them, although another one makes all trials', async () => {
    const { callsOf, start, tryAs, wait } = await createOpen();
    for (let trial = 0; trial < 5; trial += 1) {
      wait(1001);
      await callsOf('ann', 1, 500);
      expect(await tryAs('dan')).toEqual(REFUSED);
    }

    await start(undefined, 'eve').end(200);

    expect(await tryAs('dan')).toBe(200);
  });

  test.each([401, 403])(
    'whose token is refused with %i are stopped by the shared circuit, and do not close it',
    async (status) => {
      const { breaker, callsOf, start, tryAs, wait, failSeveral } = createScene();
      await callsOf('mallory', 1, status);
      await failSeveral();
      expect(await tryAs('mallory')).toEqual(REFUSED);
      wait(1001);

      await start(undefined, 'mallory').end(status);

      expect(breaker.state).toBe('open');
      expect(await tryAs('dan')).toBe(200);
      expect(breaker.state).toBe('closed');
    },
  );

  test('make one trial of the shared circuit in a second each, so that others get to try it, too', async () => {
    const { start, tryAs, wait } = await createOpen();
    wait(1001);
    await start(undefined, 'mallory').end(401);

    expect(await tryAs('mallory')).toEqual(REFUSED);
    wait(999);
    expect(await tryAs('mallory')).toEqual(REFUSED);
    wait(1);
    expect(await start(undefined, 'mallory').end(401)).toBe(401);

    expect(await tryAs('dan')).toBe(200);
  });

  test('whose tokens are refused do not keep the shared circuit from opening', async () => {
    const { breaker, callsOf, failSeveral } = createScene();
    await callsOf('mallory', 100, 401);

    await failSeveral();

    expect(breaker.state).toBe('open');
  });

  test('whose tokens were never accepted are one of them, if the service fails them', async () => {
    const { breaker, callsOf, tryAs, wait } = createScene();
    await callsOf('eve', 1, 200);
    wait(20_000);

    for (let index = 0; index < 100; index += 1)
      await callsOf(`made-up ${index}`, 7, 500);

    expect(breaker.state).toBe('closed');
    expect(await tryAs('eve')).toBe(200);
    expect(await tryAs('dan')).toBe(200);
  });

  test('whose tokens were never accepted open the shared circuit if no token was', async () => {
    const { breaker, callsOf } = createScene();

    for (const name of ['ann', 'bob', 'cid']) await callsOf(name, 7, 500);

    expect(breaker.state).toBe('open');
  });

  test('close the shared circuit with a trial, even after a later one failed', async () => {
    const { breaker, start, tryAs, wait } = await createOpen();
    wait(1001);
    const hanging = start(undefined, 'dan');
    wait(1001);
    await start(undefined, 'fay').end(500);
    expect(await tryAs('gil')).toEqual(REFUSED);

    await hanging.end(200);

    expect(breaker.state).toBe('closed');
    expect(await tryAs('gil')).toBe(200);
  });

  test('by the thousand whose calls go well are let through by the shared circuit for twenty seconds', async () => {
    const { breaker, callsOf, tryAs, wait } = createScene();
    const names = Array.from({ length: 5000 }, (_, index) => `well ${index}`);
    for (const name of names) await callsOf(name, 1, 200);
    wait(19_000);
    for (const name of names) await callsOf(`failing ${name}`, 1, 200);
    // Few failures of each caller: its own circuit would open first.
    for (const name of names) await callsOf(`failing ${name}`, 2, 500);
    expect(breaker.state).toBe('open');

    expect(await tryAs('dan')).toEqual(REFUSED);
    expect(await tryAs('well 17')).toBe(200);
  });

  test('are not let through by the shared circuit twenty seconds after a call that went well', async () => {
    const { callsOf, tryAs, wait, failSeveral } = createScene();
    await callsOf('eve', 1, 200);
    wait(20_000);
    await failSeveral();

    expect(await tryAs('eve')).toEqual(REFUSED);
  });

  test('are let through for twenty seconds after their last good call, also if one failed before', async () => {
    const { callsOf, start, tryAs, wait, failSeveral } = createScene();
    await callsOf('eve', 1, 500);
    await callsOf('eve', 1, 200);
    await failSeveral();
    const leave = () => start(AbortSignal.abort(), 'eve').end(LOST);
    for (let second = 0; second < 20; second += 1) {
      expect(await leave()).toBe(LOST);
      expect(await leave()).toBe(LOST);
      wait(1000);
    }

    // From now on, she makes one trial in a second, as others do.
    expect(await leave()).toBe(LOST);
    expect(await tryAs('eve')).toEqual(REFUSED);
  });

  test('are refused by the shared circuit after a call of their own failed', async () => {
    const { callsOf, start, tryAs, failSeveral } = createScene();
    await callsOf('eve', 1, 200);
    await failSeveral();

    expect(await start(undefined, 'eve').end(500)).toBe(500);

    expect(await tryAs('eve')).toEqual(REFUSED);
  });
});

test('callers are told apart, also if their tokens have the same length and end', async () => {
  const { callsOf, tryAs, failSeveral } = createScene();
  const end = 'x'.repeat(100);
  await callsOf(`a${end}`, 1, 200);
  await failSeveral();

  expect(await tryAs(`b${end}`)).toBeInstanceOf(OverloadedError);
  expect(await tryAs(`a${end}`)).toBe(200);
});

describe('a token is accepted', () => {
  test.each<[end: End, isAccepted: boolean]>([
    [200, true],
    [204, true],
    [302, false],
    [400, false],
    [401, false],
    [403, false],
    [404, false],
    [500, false],
    [LOST, false],
  ])('after a call that ends with %s: %s', async (end, isAccepted) => {
    const { callers, call } = createScene();

    await call(end);

    expect(callers.identify('ann').isAccepted).toBe(isAccepted);
    expect(callers.identify('bob').isAccepted).toBe(false);
  });

  test.each<[end: End, isAccepted: boolean]>([
    [400, true],
    [401, false],
    [403, true],
    [500, true],
    [LOST, true],
  ])('before, and after %s too: %s', async (end, isAccepted) => {
    const { callers, call } = createScene();
    await call(200);

    await call(end);

    expect(callers.identify('ann').isAccepted).toBe(isAccepted);
  });

  test('for an hour without a call', async () => {
    const { callers, callsOf, wait } = createScene();
    await callsOf('ann', 1, 200);
    wait(3_599_000);
    await callsOf('bob', 1, 200);
    expect(callers.identify('ann').isAccepted).toBe(true);
    wait(3_600_000);
    await callsOf('bob', 1, 200);
    wait(3_600_000);
    await callsOf('bob', 1, 200);

    expect(callers.identify('ann').isAccepted).toBe(false);
    expect(callers.identify('bob').isAccepted).toBe(true);
  });

  test('whatever is sent with made-up tokens: these take no room from it', async () => {
    const { callers, callsOf } = createScene();
    await callsOf('ann', 1, 200);

    for (let index = 0; index < 30_000; index += 1)
      await callsOf(`made-up ${index}`, 1, index % 2 === 0 ? 404 : 401);

    expect(callers.identify('ann').isAccepted).toBe(true);
  });
});

test('a call is refused before it waits for its turn, and a guard makes no trial', async () => {
  const { breaker, callers, wait } = await createTrying();
  const guarded = breaker.guard((_request, outcome) =>
    outcome.resolve({ status: 200 } as HttpResponse),
  );
  const request = {
    call: CALL,
    caller: callers.identify('ann'),
  } as unknown as OutgoingRequest;
  const ask = () =>
    new Promise<HttpResponse>((resolve, reject) => guarded(request, { resolve, reject }));

  expect((await ask()).status).toBe(200);
  expect((await ask()).status).toBe(200);
  expect(breaker.state).toBe('open');
  wait(-500);
  await expect(ask()).rejects.toThrow(OverloadedError);
});
