import { expect, test } from 'vitest';
import { toAccepts } from '../../src/http/media-type.ts';
import { EVENTS, MULTIPART } from '../../src/http/result-stream.ts';

test('a header is read once, unless it is long: a stranger who sends ever new ones fills no memory, and keeps out no usual one', () => {
  const long = `text/html; x=${'x'.repeat(256)}`;
  const first = toAccepts('text/html; x=2');
  expect(toAccepts(long)).toEqual(first);
  expect(toAccepts(long)).not.toBe(toAccepts(long));
  for (let i = 0; i < 1000; i += 1) {
    toAccepts(`value/${i}`);
    expect(toAccepts('text/html; x=2')).toBe(first);
  }
  for (let i = 0; i < 1000; i += 1) toAccepts(`value/${i}`);

  expect(toAccepts('text/html; x=2')).not.toBe(first);
});

test('what a client accepts is the same when it asks again, and after many others asked', () => {
  const response = 'application/graphql-response+json; charset=utf-8';
  const usual = [
    'application/json',
    'text/html, application/json; charset=utf-8;q=0.9',
    `${response.replace(' ', '')}, application/json;q=0.9`,
    'text/html',
    '*/*',
    undefined,
    '',
  ];
  const first = usual.map(toAccepts);

  for (let i = 0; i < 1000; i += 1) toAccepts(`application/json; q=0.${i}`);

  expect(usual.map(toAccepts)).toEqual(first);
  const type = 'application/json; charset=utf-8';
  expect(first).toEqual([
    { any: true, type, onlyPlainJson: true, stream: null },
    { any: true, type, onlyPlainJson: true, stream: null },
    { any: true, type: response, onlyPlainJson: false, stream: null },
    { any: false, type: null, onlyPlainJson: false, stream: null },
    { any: true, type, onlyPlainJson: false, stream: null },
    { any: true, type, onlyPlainJson: false, stream: null },
    { any: true, type, onlyPlainJson: false, stream: null },
  ]);
});

test.each([
  ['Text/Event-Stream', EVENTS],
  ['application/json, text/event-stream;q=0.5', EVENTS],
  ['text/event-stream, multipart/mixed', EVENTS],
  ['text/event-stream;q=0', null],
  ['multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json', MULTIPART],
  ['application/json, Multipart/Mixed; SubscriptionSpec="1.0"', MULTIPART],
  ['multipart/mixed;subscriptionSpec=2.0', null],
  ['multipart/mixed;deferSpec=20220824, application/json', null],
  ['multipart/mixed;subscriptionSpec=1.0;q=0, application/json', null],
  ['application/json, */*', null],
])('several results are sent in the format that is asked for: %s', (accept, format) => {
  expect(toAccepts(accept).stream).toBe(format);
});
