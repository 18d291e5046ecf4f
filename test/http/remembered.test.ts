import { expect, test } from 'vitest';
import { remembered, toAccepts } from '../../src/http/media-type.ts';
import { EVENTS, MULTIPART } from '../../src/http/stream-format.ts';

/** A reader that notes what it reads. */
function startReading() {
  const read: string[] = [];
  const toUpperCase = remembered((text) => {
    read.push(text);
    return text.toUpperCase();
  });
  return { read, toUpperCase };
}

test('a header value is read once', () => {
  const { read, toUpperCase } = startReading();

  const answers = ['a', 'b', 'a', 'b'].map(toUpperCase);

  expect(answers).toEqual(['A', 'B', 'A', 'B']);
  expect(read).toEqual(['a', 'b']);
});

test('a stranger who sends ever new values fills no memory', () => {
  const { read, toUpperCase } = startReading();
  const values = Array.from({ length: 1000 }, (_, i) => `value ${i}`);
  values.map(toUpperCase);
  read.length = 0;

  values.toReversed().map(toUpperCase);

  // Those that were still remembered were not read again.
  expect(values.length - read.length).toBeLessThanOrEqual(100);
});

test('a stranger who has sent many values does not keep out the usual one', () => {
  const { read, toUpperCase } = startReading();
  for (let i = 0; i < 1000; i += 1) toUpperCase(`value ${i}`);
  read.length = 0;

  ['usual', 'usual', 'usual'].map(toUpperCase);

  expect(read).toEqual(['usual']);
});

test('a long value is not remembered', () => {
  const { read, toUpperCase } = startReading();
  const long = 'x'.repeat(10_000);

  [long, long].map(toUpperCase);

  expect(read).toEqual([long, long]);
});

test('what a client accepts is the same when it asks again, and after many others asked', () => {
  const usual = ['application/json', 'text/html', '*/*', undefined, ''];
  const first = usual.map(toAccepts);

  for (let i = 0; i < 1000; i += 1) toAccepts(`application/json; q=0.${i}`);

  expect(usual.map(toAccepts)).toEqual(first);
  const type = 'application/json; charset=utf-8';
  expect(first).toEqual([
    { any: true, type, onlyPlainJson: true, stream: null },
    { any: false, type: null, onlyPlainJson: false, stream: null },
    { any: true, type, onlyPlainJson: false, stream: null },
    { any: true, type, onlyPlainJson: false, stream: null },
    { any: true, type, onlyPlainJson: false, stream: null },
  ]);
});

test.each([
  ['text/event-stream', EVENTS],
  ['application/json, text/event-stream;q=0.5', EVENTS],
  ['text/event-stream, multipart/mixed', EVENTS],
  ['text/event-stream;q=0', null],
  ['multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json', MULTIPART],
  ['application/json, multipart/mixed; subscriptionSpec="1.0"', MULTIPART],
  ['multipart/mixed;subscriptionSpec=2.0', null],
  ['multipart/mixed;deferSpec=20220824, application/json', null],
  ['multipart/mixed;subscriptionSpec=1.0;q=0, application/json', null],
  ['application/json, */*', null],
])('several results are sent in the format that is asked for: %s', (accept, format) => {
  expect(toAccepts(accept).stream).toBe(format);
});
