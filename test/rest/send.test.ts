import { AsyncLocalStorage } from 'node:async_hooks';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { turnOf } from '../../src/callers/thread.ts';
import { createMeters, toByteBounds } from '../../src/rest/bytes.ts';
import type { CallHandler } from '../../src/rest/chain.ts';
import {
  OverloadedError,
  RestNetworkError,
  TooManyBytesError,
} from '../../src/rest/errors.ts';
import { InFlight } from '../../src/rest/in-flight.ts';
import type { EndedCall } from '../../src/rest/observe.ts';
import { pathsOf } from '../../src/rest/path.ts';
import { createRedactor } from '../../src/rest/redact.ts';
import type { HttpResponse, Outcome } from '../../src/rest/request.ts';
import { createParse } from '../../src/rest/response.ts';
import { Send } from '../../src/rest/send.ts';
import { accepted } from '../support/callers.ts';
import { servePlain } from '../support/http.ts';

const ANSWER: HttpResponse = { status: 200, headers: {}, text: '{}', bytes: 2 };

/** What sends the calls of operations with one token, each with a signal of its own; `ended` learns of the end of each read. */
function createSends(
  call: CallHandler,
  ended: ((call: EndedCall) => void) | null = null,
) {
  const { open } = createMeters(toByteBounds(0));
  const inFlight = new InFlight();
  return (signal = new AbortController().signal) =>
    new Send(
      {
        signal,
        deadline: Number.POSITIVE_INFINITY,
        observer: {
          requestId: 'r-1',
          begin() {
            throw new Error('not called');
          },
          ended,
        },
        budget: { spend: () => {} },
        meter: open(accepted('ann-token')),
        redact: createRedactor('ann-token'),
      },
      {
        call,
        headers: null,
        inFlight,
        onDrift: () => {},
        parse: createParse('none'),
      },
    );
}

/** Sends one write, and returns what happened, in order. */
async function write({
  signal,
  happened = [],
}: {
  signal?: AbortSignal;
  happened?: string[];
} = {}) {
  const send = createSends(({ body }, outcome) => {
    happened.push(`sent ${body}`);
    outcome.resolve(ANSWER);
  });
  const turn = setImmediate().then(() => happened.push('another caller'));
  const error: unknown = await send(signal)
    .write('POST', pathsOf('messages').path, {
      encode() {
        happened.push('encoded');
        return 'a=1';
      },
      read: () => null,
    })
    .catch((thrown: unknown) => thrown);
  await turn;
  return { happened, error };
}

/** What a caller does before a write, such as reading a long form, takes all time of this phase of the event loop. */
function spendPhase(): void {
  turnOf(accepted('ann-token'));
  const until = performance.now() + 5;
  while (performance.now() < until);
}

describe('a write', () => {
  test('begins at once while this phase of the event loop has time left', async () => {
    await setImmediate();
    const { happened } = await write();

    expect(happened).toEqual(['encoded', 'sent a=1', 'another caller']);
  });

  // security: large-forms
  test('lets other callers run before it encodes its form, after work that took long', async () => {
    spendPhase();
    const { happened } = await write();

    expect(happened).toEqual(['another caller', 'encoded', 'sent a=1']);
  });

  // security: large-forms
  test('lets a request be read that arrived while it began, after work that took long', async () => {
    const happened: string[] = [];
    const opened: Socket[] = [];
    await using server = await servePlain((socket) => opened.push(socket));
    const toServer = () => connect(server.port, '127.0.0.1');
    const clients = [toServer(), toServer()] as const;
    await expect.poll(() => opened.length).toBe(2);
    const [first, second] = opened;
    second?.once('data', () => happened.push('another request'));
    const written = new Promise((resolve) => {
      first?.once('data', () => {
        spendPhase();
        const writing = write({ happened });
        clients[1].write('x');
        resolve(writing);
      });
    });

    clients[0].write('x');
    await written;

    for (const client of clients) client.destroy();
    expect(happened).toEqual([
      'another caller',
      'another request',
      'encoded',
      'sent a=1',
    ]);
  });

  test('encodes and sends nothing after its caller has left', async () => {
    const controller = new AbortController();
    const left = write({ signal: controller.signal });
    controller.abort();

    const { happened, error } = await left;

    expect(error).toBeInstanceOf(RestNetworkError);
    expect(error).toMatchObject({
      kind: 'timeout',
      mayHaveLeft: false,
      outcomeUnknown: false,
    });
    expect(happened).toEqual(['another caller']);
  });
});

test.each([
  ['none of them has the field', ['id', 'id'], '[{"none":[12345678901234567000]}]'],
  ['one of them has it', ['id', 'none'], '[{"none":[12345678901234567890]}]'],
  ['the one that began has it', ['none', 'id'], '[{"none":[12345678901234567890]}]'],
])('operations that share a read, where %s', async (_, names, expected) => {
  const outcomes: Outcome[] = [];
  const send = createSends((_request, outcome) => outcomes.push(outcome));

  const reads = names.map((name) => {
    const own = send();
    own.readsExactly = name === 'none';
    return own.get(pathsOf('messages').path, (json) => JSON.stringify(json));
  });
  outcomes[0]?.resolve({ ...ANSWER, text: '[{"none":[12345678901234567890]}]' });

  expect(await Promise.all(reads)).toEqual([expected, expected]);
  expect(outcomes).toHaveLength(1);
});

// security: altered-number
test('an operation that has the field joins no read whose long answer is being parsed without it', async () => {
  const outcomes: Outcome[] = [];
  const send = createSends((_request, outcome) => outcomes.push(outcome));
  const read = (name: string) => {
    const own = send();
    own.readsExactly = name === 'none';
    return own.get(pathsOf('messages').path, (json) => JSON.stringify(json));
  };
  const text = `[{"none":[12345678901234567890]},"${' '.repeat(300_000)}"]`;
  const answer = { ...ANSWER, text, bytes: text.length };

  const before = read('id');
  outcomes[0]?.resolve(answer);
  const after = read('none');
  outcomes[1]?.resolve(answer);

  expect(await before).toContain('12345678901234567000');
  expect(await after).toContain('12345678901234567890');
});

/** Makes the same read, as operations of their own do. */
function createReads(call: CallHandler, ended: (call: EndedCall) => void = () => {}) {
  const send = createSends(call, ended);
  return (signal?: AbortSignal) =>
    send(signal)
      .get(pathsOf('messages').path, () => 'read')
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
  const read = createReads((_request, outcome) => outcomes.push(outcome));
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

/** Makes reads of which the first one is given up, because its operation may read no more. */
function createGivenUp(ended?: (call: EndedCall) => void, givenUp = () => {}) {
  let calls = 0;
  const read = createReads(({ call }, outcome) => {
    calls += 1;
    const isFirst = calls === 1;
    setTimeout(() => {
      if (!isFirst) return outcome.resolve(ANSWER);
      outcome.reject(new TooManyBytesError(call, 'was given up', true));
      givenUp();
    }, 20);
  }, ended);
  return { read, calls: () => calls };
}

test('a read that another operation began is begun anew if that one may read no more, and reported as its own', async () => {
  const operation = new AsyncLocalStorage<string>();
  const ends: string[] = [];
  const { read, calls } = createGivenUp(({ error }) =>
    ends.push(`${operation.getStore()} ${error === null}`),
  );

  const answers = await Promise.all(
    ['ann', 'bob', 'cid'].map((name) => operation.run(name, () => read())),
  );

  expect(answers).toEqual(['TooManyBytesError', 'read', 'read']);
  expect(calls()).toBe(2);
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
  const { read, calls } = createGivenUp(undefined, () => leaving.abort());

  const answers = await Promise.all([read(), read(leaving.signal)]);

  expect(answers).toEqual(['TooManyBytesError', 'RestNetworkError']);
  expect(calls()).toBe(1);
});
