import { describe, expect, test } from 'vitest';
import { CallerId } from '../../src/callers/caller-id.ts';
import { Body } from '../../src/rest/body.ts';
import { createMeters, toByteBounds } from '../../src/rest/bytes.ts';
import { OverloadedError, RestDecodeError } from '../../src/rest/errors.ts';
import { JsonWeight } from '../../src/rest/json-weight.ts';
import { accepted, stranger } from '../support/callers.ts';

const MIB = 2 ** 20;
const READ = { method: 'GET', route: '/v1/messages' } as const;
const WRITE = { method: 'PUT', route: '/v1/messages/:id' } as const;
const part = (mebibytes: number) => Buffer.alloc(mebibytes * MIB, 'x');
const NOTHING = new Body();

describe('the bytes that operations hold', () => {
  // security: long-answers
  test('are given back when the operation is over, and its last answer too', () => {
    const { open } = createMeters(toByteBounds(0));
    const receive = (token: string, mebibytes: number) => {
      const meter = open(accepted(token));
      const answer = meter.begin(READ);
      answer.receive(part(mebibytes), NOTHING);
      return { meter, answer };
    };
    const four = ['a', 'b', 'c', 'd'].map((token) => receive(token, 16));
    expect(() => receive('e', 16)).toThrow(OverloadedError);

    for (const { meter } of four) meter.close();
    expect(() => receive('f', 16)).toThrow(OverloadedError);
    for (const { answer } of four) answer.end();

    expect(() => receive('g', 16)).not.toThrow();
  });

  // security: long-answers
  test('of one caller leave room for others, and short answers are not counted', () => {
    const { open } = createMeters(toByteBounds(0));
    const receive = (token: string, bytes: number) =>
      open(accepted(token)).begin(READ).receive(Buffer.alloc(bytes, 'x'), NOTHING);
    for (const _ of [1, 2, 3]) receive('a', 16 * MIB);

    expect(() => receive('a', 16 * MIB)).toThrow(OverloadedError);
    expect(() => receive('a', 100_000)).not.toThrow();
    expect(() => receive('b', 16 * MIB)).not.toThrow();
  });

  // security: empty-lists
  test('are those of lists in a short answer, too, when it is parsed', () => {
    const { open } = createMeters(toByteBounds(0));
    const complete = (token: string, text: string) => {
      const answer = open(accepted(token)).begin(READ);
      answer.receive(Buffer.from(text), NOTHING);
      answer.complete(text);
    };
    const lists = `[${'[],'.repeat(20_000)}{}]`;
    for (let index = 0; index < 78; index += 1) complete(`${index}`, lists);

    expect(() => complete('one more', lists)).toThrow(OverloadedError);
    expect(() => complete('text', `"${'x'.repeat(60_000)}"`)).not.toThrow();
  });

  // security: made-up-tokens
  test('of callers whose tokens were never accepted leave room for others, too', () => {
    const { holdRequest } = createMeters(toByteBounds(0));
    const held = Array.from({ length: 64 }, (_, index) =>
      holdRequest(stranger(`made-up-${index}`), 1.25 * MIB),
    );

    expect(held.filter((release) => release !== null)).toHaveLength(48);
    expect(holdRequest(accepted('a'), 16 * MIB)).not.toBeNull();
  });

  test('are given back under the name under which they were taken', () => {
    let isAccepted = false;
    const { holdRequest } = createMeters(toByteBounds(0));
    const caller = () => new CallerId('a', () => isAccepted);
    for (let turn = 0; turn < 10; turn += 1) {
      isAccepted = false;
      const release = holdRequest(caller(), 40 * MIB);
      expect(release).not.toBeNull();
      isAccepted = true;
      expect(holdRequest(caller(), 40 * MIB)).toBeNull();
      release?.();
    }
  });

  // security: shared-attachment
  test('include its forms until they are sent', () => {
    const { open } = createMeters(toByteBounds(0));
    const sent = ['a', 'b'].map((token) =>
      open(accepted(token)).sendForm(WRITE, 32 * MIB),
    );

    expect(() => open(accepted('c')).sendForm(WRITE, MIB)).toThrow(OverloadedError);
    for (const release of sent) release();
    expect(() => open(accepted('c')).sendForm(WRITE, MIB)).not.toThrow();
  });

  test('say of a write whose answer is given up that its outcome is unknown', () => {
    const meter = createMeters(toByteBounds(0)).open(accepted('a'));
    const answer = meter.begin(WRITE);
    answer.receive(part(16), NOTHING);
    answer.end();

    expect(() => meter.begin(WRITE).receive(part(16.5), NOTHING)).toThrow(
      expect.objectContaining({ name: 'TooManyBytesError', outcomeUnknown: true }),
    );
    expect(() => meter.begin(WRITE)).toThrow(
      expect.objectContaining({ name: 'TooManyBytesError', outcomeUnknown: false }),
    );
  });
});

describe('the keys and texts of an answer', () => {
  /** Receives a list or an object in parts of this length. Nothing is weighed before SMALL_BYTES have come. */
  function receive(json: string, partLength = 65_536): void {
    const answer = createMeters(toByteBounds(0)).open(accepted('a')).begin(READ);
    const bytes = Buffer.from(json);
    const body = new Body();
    for (let start = 0; start < bytes.length; start += partLength) {
      const part = bytes.subarray(start, start + partLength);
      answer.receive(part, body);
      body.add(part);
    }
  }
  const repeat = (count: number, toPart: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => toPart(1e9 + 7 * n)).join();
  const object = (...given: Parameters<typeof repeat>) => `{${repeat(...given)}}`;
  const list = (...given: Parameters<typeof repeat>) => `[${repeat(...given)}]`;
  /** Objects of a hundred keys. */
  const objects = (count: number, toKey: (of: number, n: number) => string) =>
    list(count, (of) => object(100, (n) => `"${toKey(of, n)}":1`));

  // security: number-keys, unlike-objects
  test.each([
    ['100,000 keys that are numbers', object(100_000, (n) => `"${n}":1`)],
    ['140,000 other keys', object(140_000, (n) => `"k${n}":1`)],
    ['340,000 texts', list(340_000, (n) => `"${n}"`)],
    ['500,000 texts that are the same', list(500_000, () => '"[{,:\\""')],
    ['400 objects with keys of their own', objects(400, (of, n) => `k${of}-${n}`)],
    ['4,000 objects with the same keys', objects(4000, (_of, n) => `k${n}`)],
  ])('may be %s', (_, json) => {
    expect(() => receive(json)).not.toThrow();
  });

  // security: many-keys, unlike-objects
  test.each([
    ['keys', object(160_000, (n) => `"k${n}":1`)],
    ['texts', list(360_000, (n) => `"${n}"`)],
    ['keys with texts', object(140_000, (n) => `"k${n}":"${n}"`)],
    ['objects with keys of their own', objects(600, (of, n) => `k${of}-${n}`)],
    [
      'objects whose first keys are their own',
      objects(600, (of, n) => (n === 1e9 ? `k${of}` : `k${n}`)),
    ],
    [
      'objects with the same keys in other orders',
      objects(600, (of, n) => `k${(of * n) % 101}`),
    ],
    [
      'objects that begin alike, behind others in them',
      list(600, (of) => `{"a":{"b":1},${object(100, (n) => `"k${of * n}":1`).slice(1)}`),
    ],
  ])('may not be more %s than can be parsed in a tenth of a second', (_, json) => {
    expect(() => receive(json)).toThrow(RestDecodeError);
    expect(() => receive(json, 1009)).toThrow(RestDecodeError);
  });

  // security: number-keys
  test.each<[how: string, toKey: (n: number) => string, partLength?: number]>([
    ['as they are', (n) => `"${n}"`],
    ['byte by byte', (n) => `"${n}"`, 1],
    [
      'with an escaped digit',
      (n) => `"\\u003${String(n).slice(0, 1)}${String(n).slice(1)}"`,
    ],
    ['with spaces before the colon', (n) => `"${n}"  `],
  ])('may not be 110,000 slow keys that are numbers: %s', (_, toKey, partLength) => {
    const json = object(110_000, (n) => `${toKey(n)}:1`);
    expect(() => receive(json, partLength)).toThrow(RestDecodeError);
  });
});

// security: long-requests
test('a document counts once, for a caller that runs it, and no longer than it runs', () => {
  const { open } = createMeters(toByteBounds(0));
  const [shared, other] = [{}, {}];
  const [ann, ben] = [open(accepted('ann')), open(accepted('ben'))];
  expect(ann.holdDocument(shared, 40 * MIB)).toBe(true);
  expect(ben.holdDocument(shared, 40 * MIB)).toBe(true);
  // One caller may hold 48 MiB, and all together 64.
  expect(open(accepted('ann')).holdDocument(other, 20 * MIB)).toBe(false);
  const third = open(accepted('ben'));
  expect(third.holdDocument(other, 20 * MIB)).toBe(true);
  third.close();

  ann.close();
  expect(open(accepted('ben')).holdDocument(other, 20 * MIB)).toBe(false);
  const fourth = open(accepted('ann'));
  expect(fourth.holdDocument(other, 20 * MIB)).toBe(true);
  fourth.close();

  ben.close();
  expect(open(accepted('ben')).holdDocument(other, 48 * MIB)).toBe(true);
});

test('what an answer counts for does not depend on others that arrive at the same time', () => {
  const texts = (name: string, count: number) =>
    Buffer.from(JSON.stringify(Array.from({ length: count }, (_, n) => `${name}${n}`)));
  const weigh = (between: () => void): number => {
    const weight = new JsonWeight();
    weight.add(texts('own', 10_000));
    between();
    weight.add(texts('own', 10_000));
    return weight.toParse;
  };

  const alone = weigh(() => {});
  const beside = weigh(() => new JsonWeight().add(texts('other', 200_000)));

  expect(beside).toBe(alone);
});
