import { describe, expect, test } from 'vitest';
import { toCallerName } from '../../src/callers/caller-id.ts';
import { Breaker } from '../../src/rest/breaker.ts';
import type { OutgoingRequest } from '../../src/rest/chain.ts';
import {
  OverloadedError,
  RestDecodeError,
  RestNetworkError,
  TooManyBytesError,
} from '../../src/rest/errors.ts';
import { Callers } from '../../src/rest/known-callers.ts';

const CALL = { method: 'GET', route: '/v1/messages' } as const;

/** How a call ends: with a status, or with an error. */
type End = number | Error;

const toError = (kind: RestNetworkError['kind'], mayHaveLeft: boolean) =>
  new RestNetworkError(CALL, { kind, mayHaveLeft, cause: null });
const LOST = toError('unreachable', true);
const UNANSWERED = toError('timeout', true);
/** It waited for a connection until its time was up. */
const UNSENT = toError('timeout', false);
const TOO_LONG = new TooManyBytesError(CALL, '', false);

const NEVER = new AbortController().signal;
const LEFT = AbortSignal.abort();
const OPERATION_IS_LATE = AbortSignal.abort(new DOMException('late', 'TimeoutError'));

/** How long calls must have had, so that a timeout counts as a failure. Unit: milliseconds. */
const PATIENCE_MS = 5000;

/** A breaker with a clock and connections that tests set, and calls that end as they say. */
function createScene({ hadConnection = true } = {}) {
  let now = 0;
  // The cache takes an entry of the time 0 for one that never ends.
  const callers = new Callers({ perf: { now: () => now + 1 }, ttlResolution: 0 });
  const breaker = new Breaker({
    callers,
    now: () => now,
    hadConnection: () => hadConnection,
    patienceMs: PATIENCE_MS,
  });
  const toRequest = (caller: string) =>
    ({ call: CALL, caller: callers.identify(caller) }) as unknown as OutgoingRequest;

  /** Begins a call; returns what ends it. Throws if it is refused. */
  function start(caller = 'ann') {
    const permit = breaker.enter(toRequest(caller));
    return (end: End, signal = NEVER) => {
      if (typeof end === 'number')
        breaker.answered(permit, { status: end, headers: {}, text: '', bytes: 0 });
      else breaker.failed(permit, end, signal);
    };
  }
  /** Makes calls that take no time; returns whether the last one was sent. */
  function call(caller: string, end: End, times = 1, signal = NEVER): boolean {
    let wasSent = false;
    for (let turn = 0; turn < times; turn += 1) {
      try {
        start(caller)(end, signal);
        wasSent = true;
      } catch (error) {
        if (!(error instanceof OverloadedError)) throw error;
        wasSent = false;
      }
    }
    return wasSent;
  }
  return {
    breaker,
    callers,
    toRequest,
    start,
    call,
    /** Whether a call of this caller, which would succeed, is sent. */
    isServed: (caller = 'ann') => call(caller, 200),
    isAccepted: (caller: string) => callers.identify(caller).isAccepted,
    /** The service fails several callers whose tokens it has accepted, so that the shared circuit opens. */
    failSeveral() {
      for (const name of ['kim', 'lou', 'max']) {
        call(name, 200);
        call(name, 500, 7);
      }
    },
    wait(ms: number) {
      now += ms;
    },
  };
}

test.each([
  [10, 9, 'closed'],
  [10, 10, 'open'],
  [0, 19, 'closed'],
  [21, 20, 'closed'],
])('after %i successes and %i failures the circuit is %s', (well, failed, state) => {
  const { breaker, call } = createScene();

  call('ann', 200, well);
  call('ann', 500, failed);

  expect(breaker.state).toBe(state);
});

// security: made-up-headers
test('a caller that makes up values of headers opens no circuit but those of its own', () => {
  const { call, isServed } = createScene();
  const values = ['a', 'b', 'c', 'd'].map((org) => toCallerName('ann', { 'x-org': org }));
  for (const name of values) call(name, 200);
  for (const name of values) call(name, 500, 15);

  expect(isServed('bob')).toBe(true);
});

/** A call that ends so after this time. */
interface Ended {
  readonly end: End;
  readonly ms?: number;
  readonly signal?: AbortSignal;
  readonly hadConnection?: boolean;
}

const LATE: Ended = { end: UNANSWERED, ms: PATIENCE_MS };

/** What follows from thirty calls, and what from twenty failures after them. */
const COUNTS = {
  'as a success': ['closed', 'closed'],
  'as a failure': ['open', 'open'],
  'as neither': ['closed', 'open'],
} as const;

// security: timeouts-in-queue
test.each<[what: string, how: keyof typeof COUNTS, call: Ended]>([
  ['is answered 404', 'as a success', { end: 404 }],
  ['is answered 429', 'as a success', { end: 429 }],
  ['has an unreadable answer', 'as a success', { end: new RestDecodeError(CALL, '') }],
  ['is answered no valid HTTP', 'as a success', { end: toError('invalid', true) }],
  ['is answered 503', 'as a failure', { end: 503 }],
  ['loses its connection', 'as a failure', { end: LOST }],
  ['gets no answer', 'as a failure', LATE],
  ['ends with its operation', 'as a failure', { ...LATE, signal: OPERATION_IS_LATE }],
  ['finds no connection at all', 'as a failure', { end: UNSENT, hadConnection: false }],
  ['waited behind others for a connection', 'as neither', { end: UNSENT }],
  ['had too little time for an answer', 'as neither', { ...LATE, ms: PATIENCE_MS - 1 }],
  ['is given up by its client', 'as neither', { end: LOST, signal: LEFT }],
  ['would read too many bytes', 'as neither', { end: TOO_LONG }],
  ['is answered 401', 'as neither', { end: 401 }],
  ['is answered 403', 'as neither', { end: 403 }],
])('a call that %s counts %s', (_, how, { end, ms = 0, signal, hadConnection }) => {
  const { breaker, start, call, wait } = createScene({ hadConnection });
  call('ann', 200);

  const calls = Array.from({ length: 30 }, () => start());
  wait(ms);
  for (const one of calls) one(end, signal);
  const before = breaker.state;
  call('ann', 500, 20);

  expect([before, breaker.state]).toEqual(COUNTS[how]);
});

test('failures are forgotten after ten seconds, and count long after the start too', () => {
  const { breaker, call, wait } = createScene();

  for (const ms of [11_000, 60_000]) {
    call('ann', 500, 19);
    wait(ms);
  }
  expect(breaker.state).toBe('closed');
  call('ann', 500, 20);

  expect(breaker.state).toBe('open');
});

test.each([
  [8, 'closed'],
  [12, 'open'],
])(
  'calls that went well before the first failure count for ten seconds: after %i seconds more, the circuit is %s',
  (seconds, state) => {
    const { breaker, call, wait } = createScene();
    call('ann', 200, 30);
    wait(1000);
    call('ann', 200, 3);
    wait(seconds * 1000 - 1000);

    call('ann', 500, 24);

    expect(breaker.state).toBe(state);
  },
);

test('without calls, the state is closed after a while, and then the next call is a trial', () => {
  const { breaker, start, isServed, wait, failSeveral } = createScene();
  failSeveral();

  wait(9000);
  expect(breaker.state).toBe('open');
  wait(15_000);
  expect(breaker.state).toBe('closed');

  const end = start();
  expect(breaker.state).toBe('half-open');
  expect(isServed('dan')).toBe(false);
  end(200);
  expect(isServed('dan')).toBe(true);
});

/** The circuit opened more than a second ago, so the next call is a trial. */
function createTrying() {
  const scene = createScene();
  scene.call('ann', 500, 20);
  scene.wait(1001);
  return scene;
}

describe('after a second, one call is a trial', () => {
  test.each([200, 404, 429])(
    'and others wait until a %i closes the circuit',
    (status) => {
      const { breaker, start, isServed } = createTrying();

      const end = start();
      expect(isServed()).toBe(false);
      expect(breaker.state).toBe('half-open');
      end(status);

      expect(breaker.state).toBe('closed');
      expect(isServed()).toBe(true);
    },
  );

  test('whose failure keeps the circuit open for another second', () => {
    const { call, isServed, wait } = createTrying();

    call('ann', LOST);

    wait(999);
    expect(isServed()).toBe(false);
    wait(1);
    expect(isServed()).toBe(true);
  });

  test.each<[what: string, end: End, signal: AbortSignal]>([
    ['its caller leaves', LOST, LEFT],
    ['it had too little time for an answer', UNANSWERED, NEVER],
    ['its token is refused', 401, NEVER],
  ])('and the next call is one too, if %s', (_, end, signal) => {
    const { breaker, call, isServed } = createTrying();

    call('ann', end, 1, signal);

    expect(breaker.state).toBe('open');
    expect(isServed()).toBe(true);
    expect(breaker.state).toBe('closed');
  });

  test('and calls that began before the circuit opened do not decide for it, nor count later', () => {
    const { breaker, call, start, wait } = createScene();
    const early = Array.from({ length: 22 }, () => start());
    call('ann', 500, 20);
    wait(1001);
    const endTrial = start();

    early.pop()?.(200);
    early.pop()?.(500);
    expect(breaker.state).toBe('half-open');
    endTrial(200);
    for (const one of early) one(500);

    expect(breaker.state).toBe('closed');
  });
});

describe('while a trial hangs', () => {
  function createHanging() {
    const scene = createTrying();
    const endHanging = scene.start();
    scene.wait(1001);
    return { ...scene, endHanging };
  }

  test('another trial that fails keeps the circuit open for a second from then on', () => {
    const { start, isServed, wait, endHanging } = createHanging();
    const end = start();
    wait(500);
    end(LOST);
    wait(900);
    // Its own failure delays nothing.
    endHanging(LOST);

    wait(99);
    expect(isServed()).toBe(false);
    wait(1);
    expect(isServed()).toBe(true);
  });

  test('its success closes the circuit, even after another trial failed', () => {
    const { breaker, call, endHanging } = createHanging();
    call('ann', LOST);

    endHanging(200);

    expect(breaker.state).toBe('closed');
  });

  test('its success does not count once the circuit has closed and opened again', () => {
    const { breaker, call, endHanging } = createHanging();
    call('ann', 200);
    call('ann', 500, 20);

    endHanging(200);

    expect(breaker.state).toBe('open');
  });
});

describe('several callers', () => {
  // security: one-callers-failures
  test('whose failures recur after each recovery refuse no other', () => {
    const { breaker, call, isServed, wait } = createScene();

    for (let turn = 0; turn < 4; turn += 1) {
      call('ann', 500, 20);
      expect(isServed(`newcomer ${turn}`)).toBe(true);
      wait(1001);
      expect(isServed('ann')).toBe(true);
    }
    call('bob', 200, 6);
    call('bob', 500, 5);

    expect(breaker.state).toBe('closed');
    expect(isServed('cid')).toBe(true);
  });

  test('share a circuit, also after a stranger among them is well again', () => {
    const { breaker, call, wait } = createScene();
    call('kim', 200);
    call('ann', 500, 20);
    wait(1001);
    call('ann', 404);

    for (const name of ['lou', 'max', 'pia']) {
      call(name, 200);
      call(name, 500, 7);
    }

    expect(breaker.state).toBe('open');
  });

  // security: one-callers-failures
  test('share a circuit, which opens if the calls of others failed, too', () => {
    const { breaker, call, isServed } = createScene();
    for (const name of ['ann', 'bob']) call(name, 200);
    call('ann', 500, 15);
    call('bob', 500, 3);
    call('ann', 500);
    expect(isServed('cid')).toBe(true);

    call('bob', 500, 2);

    expect(breaker.state).toBe('open');
    expect(isServed('dan')).toBe(false);
  });

  /** The shared circuit is open, but lets Eve through. */
  function createOpen() {
    const scene = createScene();
    scene.call('eve', 200);
    scene.failSeveral();
    return scene;
  }

  // security: trials-of-circuit
  test('get their answers as soon as the service is well to one of them, although another one makes all trials', () => {
    const { call, isServed, start, wait } = createOpen();
    for (let trial = 0; trial < 5; trial += 1) {
      wait(1001);
      call('lou', 500);
      expect(isServed('max')).toBe(false);
    }

    call('eve', 200);

    expect(isServed('max')).toBe(true);
    // Nobody's earlier failures count any more, but those whose last call failed have one call at a time until one goes well.
    const endOfTrial = start('kim');
    expect(isServed('kim')).toBe(false);
    endOfTrial(200);
    call('kim', 500, 19);
    expect(isServed('kim')).toBe(true);
  });

  // security: trials-of-circuit
  test.each([
    ['rested for a minute', true],
    ['was never seen', false],
  ])('that fail again and again leave a trial to one that %s', (_, wasSeen) => {
    const { call, isServed, wait } = createScene();
    for (const name of ['ann', 'bob', 'cid']) call(name, 200);
    if (wasSeen) call('dan', 200);
    wait(60_000);
    const failAll = () => ['ann', 'bob', 'cid'].map((name) => call(name, 500, 7));
    failAll();
    for (let second = 0; second < 5; second += 1) {
      wait(1000);
      failAll();
    }

    expect(isServed('dan')).toBe(true);
  });

  // security: trials-of-circuit
  test('have one trial a second for each kind: whose last call failed, never accepted, and all others', () => {
    const { call, wait, failSeveral } = createScene();
    for (const name of ['eve', 'fay']) call(name, 200);
    wait(60_000);
    failSeveral();
    wait(1000);

    expect(call('kim', 500)).toBe(true);
    expect(call('lou', 500)).toBe(false);
    expect(call('made-up 1', 500)).toBe(true);
    expect(call('made-up 2', 500)).toBe(false);
    expect(call('eve', 500)).toBe(true);
    expect(call('fay', 500)).toBe(false);
    wait(1000);
    expect(call('fay', 500)).toBe(true);
  });

  // security: refused-tokens-and-circuit
  test.each([401, 403])(
    'whose token is refused with %i are stopped by the shared circuit, and do not close it',
    (status) => {
      const { breaker, call, isServed, wait, failSeveral } = createScene();
      call('mallory', status);
      failSeveral();
      expect(isServed('mallory')).toBe(false);
      wait(1001);

      call('mallory', status);

      expect(breaker.state).toBe('open');
      expect(isServed('dan')).toBe(true);
    },
  );

  // security: trials-of-circuit
  test('make one trial of the shared circuit in a second each, so that others get to try it, too', () => {
    const { call, isServed, wait } = createOpen();
    wait(1001);
    call('mallory', 401);

    wait(999);
    expect(call('mallory', 401)).toBe(false);
    wait(1);
    expect(call('mallory', 401)).toBe(true);

    expect(isServed('dan')).toBe(true);
  });

  // security: refused-tokens-and-circuit
  test('whose tokens are refused do not keep the shared circuit from opening', () => {
    const { breaker, call, failSeveral } = createScene();
    call('mallory', 401, 100);

    failSeveral();

    expect(breaker.state).toBe('open');
  });

  // security: one-callers-failures
  test('whose tokens were never accepted are one of them, if the service fails them', () => {
    const { breaker, call, isServed, wait } = createScene();
    call('eve', 200);
    wait(20_000);

    for (let index = 0; index < 100; index += 1) call(`made-up ${index}`, 500, 7);

    expect(breaker.state).toBe('closed');
    expect(isServed('eve')).toBe(true);
    expect(isServed('dan')).toBe(true);
  });

  test('whose tokens were never accepted open the shared circuit if no token was', () => {
    const { breaker, call } = createScene();

    for (const name of ['ann', 'bob', 'cid']) call(name, 500, 7);

    expect(breaker.state).toBe('open');
  });

  // security: kept-for-tokens
  test('by the thousand whose calls go well are let through by the shared circuit for twenty seconds', () => {
    const { breaker, call, isServed, wait } = createScene();
    const names = Array.from({ length: 5000 }, (_, index) => `well ${index}`);
    for (const name of names) call(name, 200);
    wait(19_000);
    for (const name of names) call(`failing ${name}`, 200);
    // Few failures of each caller: its own circuit would open first.
    for (const name of names) call(`failing ${name}`, 500, 2);
    expect(breaker.state).toBe('open');

    expect(isServed('dan')).toBe(false);
    expect(isServed('well 17')).toBe(true);
  });

  test('are let through for twenty seconds after their last good call, also if one failed before', () => {
    const { call, isServed, wait, failSeveral } = createScene();
    call('eve', 500);
    call('eve', 200);
    failSeveral();
    const leave = () => call('eve', LOST, 2, LEFT);
    for (let second = 0; second < 20; second += 1) {
      expect(leave()).toBe(true);
      wait(1000);
    }

    // From now on, she makes one trial in a second, as others do.
    expect(leave()).toBe(false);
    expect(isServed('eve')).toBe(false);
  });
});

// security: kept-for-tokens
test('callers are told apart, also if their tokens have the same length and end', () => {
  const { call, isServed, failSeveral } = createScene();
  const end = 'x'.repeat(100);
  call(`a${end}`, 200);
  failSeveral();

  expect(isServed(`b${end}`)).toBe(false);
  expect(isServed(`a${end}`)).toBe(true);
});

describe('a token is accepted', () => {
  test.each<[end: End, isAccepted: boolean, isStillAccepted: boolean]>([
    [204, true, true],
    [302, false, true],
    [401, false, false],
    [403, false, true],
    [404, false, true],
    [500, false, true],
    [LOST, false, true],
  ])(
    'after a call ends with %s: %s; if it was before: %s',
    (end, isAccepted, isStill) => {
      const scene = createScene();
      scene.call('bob', 200);

      for (const name of ['ann', 'bob']) scene.call(name, end);

      expect(scene.isAccepted('ann')).toBe(isAccepted);
      expect(scene.isAccepted('bob')).toBe(isStill);
    },
  );

  // security: kept-for-tokens
  test('for an hour without a call', () => {
    const { isAccepted, call, wait } = createScene();
    call('ann', 200);
    wait(3_599_000);
    call('bob', 200);
    expect(isAccepted('ann')).toBe(true);
    wait(3_600_000);
    call('bob', 404);
    wait(3_600_000);

    expect(isAccepted('ann')).toBe(false);
    expect(isAccepted('bob')).toBe(true);
  });

  // security: kept-for-tokens
  test('whatever is sent with made-up tokens: these take no room from it', () => {
    const { call, isAccepted } = createScene();
    call('ann', 200);

    for (let index = 0; index < 30_000; index += 1)
      call(`made-up ${index}`, [404, 401, 503][index % 3] ?? 503);

    expect(isAccepted('ann')).toBe(true);
  });
});

// security: kept-for-tokens
test('what is kept of callers is bounded, and those seen least recently go first', () => {
  const { call, callers, isAccepted } = createScene();
  const isKnown = (token: string) => callers.find(callers.identify(token)) !== undefined;
  for (let index = 0; index < 25_000; index += 1) {
    call(`good ${index}`, 200);
    call(`bad ${index}`, 503);
    if (index % 10_000 === 0) call('ann', 200);
  }

  expect([isAccepted('good 4000'), isKnown('bad 14000')]).toEqual([false, false]);
  expect([isAccepted('good 24999'), isKnown('bad 24999')]).toEqual([true, true]);
  expect(isAccepted('ann')).toBe(true);
});

test('a token that was pushed out is accepted again by its next call, also if one of its calls failed lately', () => {
  const { call, isAccepted } = createScene();
  call('ann', 200);
  call('ann', 503);
  for (let index = 0; index < 20_000; index += 1) call(`good ${index}`, 200);
  expect(isAccepted('ann')).toBe(false);

  call('ann', 200);

  expect(isAccepted('ann')).toBe(true);
});

// security: kept-for-tokens
test('callers whose calls failed are forgotten twenty seconds after their last call', () => {
  const { call, callers, wait } = createScene();
  call('ann', 503);
  wait(20_001);

  expect(callers.find(callers.identify('ann'))).toBeUndefined();
});

test('a call is refused before it waits for a connection, and to ask makes no trial', () => {
  const { breaker, toRequest, wait } = createTrying();
  const ask = () => breaker.refusalOf(toRequest('ann'));

  expect([ask(), ask()]).toEqual([null, null]);
  expect(breaker.state).toBe('open');
  wait(-500);
  expect(ask()).toBeInstanceOf(OverloadedError);
});
