import { describe, expect, test } from 'vitest';
import { createMeters, SMALL_BYTES, toByteBounds } from '../../src/rest/bytes.ts';
import { CallerId } from '../../src/rest/caller-id.ts';
import { OverloadedError, RestDecodeError } from '../../src/rest/errors.ts';
import { accepted, stranger } from '../support/callers.ts';

const MIB = 2 ** 20;
const READ = { method: 'GET', route: '/v1/messages' } as const;
const WRITE = { method: 'PUT', route: '/v1/messages/:id' } as const;
const part = (mebibytes: number) => Buffer.alloc(mebibytes * MIB, 'x');

describe('the bytes that operations hold', () => {
  test('are given back when the operation is over, and its last answer too', () => {
    const { open } = createMeters(toByteBounds(0), accepted);
    const receive = (token: string, mebibytes: number) => {
      const meter = open(token);
      const answer = meter.begin(READ);
      answer.receive(part(mebibytes));
      return { meter, answer };
    };
    const four = ['a', 'b', 'c', 'd'].map((token) => receive(token, 16));
    expect(() => receive('e', 16)).toThrow(OverloadedError);

    for (const { meter } of four) meter.close();
    expect(() => receive('f', 16)).toThrow(OverloadedError);
    for (const { answer } of four) answer.end();

    expect(() => receive('g', 16)).not.toThrow();
  });

  test('of one caller leave room for others, and short answers are not counted', () => {
    const { open } = createMeters(toByteBounds(0), accepted);
    const receive = (token: string, bytes: number) =>
      open(token).begin(READ).receive(Buffer.alloc(bytes, 'x'));
    for (const _ of [1, 2, 3]) receive('a', 16 * MIB);

    expect(() => receive('a', 16 * MIB)).toThrow(OverloadedError);
    expect(() => receive('a', 100_000)).not.toThrow();
    expect(() => receive('b', 16 * MIB)).not.toThrow();
  });

  test('of callers whose tokens were never accepted leave room for others, too', () => {
    const toCaller = (token: string | null) =>
      (token === 'a' ? accepted : stranger)(token);
    const { holdRequest } = createMeters(toByteBounds(0), toCaller);
    const held = Array.from({ length: 64 }, (_, index) =>
      holdRequest(`made-up-${index}`, 1.25 * MIB),
    );

    expect(held.filter((letGo) => letGo !== null)).toHaveLength(48);
    expect(holdRequest('a', 16 * MIB)).not.toBeNull();
  });

  test('are given back under the name under which they were taken', () => {
    let isAccepted = false;
    const { holdRequest } = createMeters(
      toByteBounds(0),
      (token) => new CallerId(token, () => isAccepted),
    );
    for (let turn = 0; turn < 10; turn += 1) {
      isAccepted = false;
      const letGo = holdRequest('a', 40 * MIB);
      expect(letGo).not.toBeNull();
      isAccepted = true;
      expect(holdRequest('a', 40 * MIB)).toBeNull();
      letGo?.();
    }
  });

  test('include its forms until they are sent', () => {
    const { open } = createMeters(toByteBounds(0), accepted);
    const sent = ['a', 'b'].map((token) => open(token).sendForm(WRITE, 32 * MIB));

    expect(() => open('c').sendForm(WRITE, MIB)).toThrow(OverloadedError);
    for (const release of sent) release();
    expect(() => open('c').sendForm(WRITE, MIB)).not.toThrow();
  });

  test('say of a write whose answer is given up that its outcome is unknown', () => {
    const meter = createMeters(toByteBounds(0), accepted).open('a');
    const answer = meter.begin(WRITE);
    answer.receive(part(16));
    answer.end();

    expect(() => meter.begin(WRITE).receive(part(16.5))).toThrow(
      expect.objectContaining({ name: 'TooManyBytesError', outcomeUnknown: true }),
    );
    expect(() => meter.begin(WRITE)).toThrow(
      expect.objectContaining({ name: 'TooManyBytesError', outcomeUnknown: false }),
    );
  });
});

describe('the keys and texts of an answer', () => {
  /** Receives a body of this many keys or texts, in parts of this length. */
  const receive = (
    count: number,
    toPart: (n: number) => string,
    partLength = 65_536,
  ): void => {
    const answer = createMeters(toByteBounds(0), accepted).open('a').begin(READ);
    // Up to here, nothing is weighed.
    answer.receive(Buffer.alloc(SMALL_BYTES, ' '));
    const parts = Array.from({ length: count }, (_, n) => toPart(1e9 + 7 * n));
    const body = Buffer.from(`{${parts.join()}}`);
    for (let start = 0; start < body.length; start += partLength)
      answer.receive(body.subarray(start, start + partLength));
  };

  test('may be 100,000 keys that are numbers, 290,000 other keys, or 340,000 texts', () => {
    expect(() => receive(100_000, (n) => `"${n}":1`)).not.toThrow();
    expect(() => receive(290_000, (n) => `"k${n}":1`)).not.toThrow();
    expect(() => receive(340_000, (n) => `"${n}"`)).not.toThrow();
  });

  test.each([
    ['keys', 310_000, (n: number) => `"k${n}":1`],
    ['texts', 360_000, (n: number) => `"${n}"`],
    ['keys with texts', 240_000, (n: number) => `"k${n}":"${n}"`],
  ])(
    'may not be more %s than can be parsed in a tenth of a second',
    (_what, count, toPart) => {
      expect(() => receive(count, toPart)).toThrow(RestDecodeError);
    },
  );

  test.each<[how: string, toKey: (n: number) => string, partLength?: number]>([
    ['as they are', (n) => `"${n}"`],
    ['byte by byte', (n) => `"${n}"`, 1],
    [
      'with an escaped digit',
      (n) => `"\\u003${String(n).slice(0, 1)}${String(n).slice(1)}"`,
    ],
    ['with spaces before the colon', (n) => `"${n}"  `],
  ])(
    'may not be 110,000 keys that are numbers, which take long to list: %s',
    (_how, toKey, partLength) => {
      const toPart = (n: number) => `${toKey(n)}:1`;
      expect(() => receive(110_000, toPart, partLength)).toThrow(RestDecodeError);
    },
  );
});
