import { expect, test } from 'vitest';
import { toWords } from '../../src/rest/words.ts';

const toText = (body: unknown) =>
  typeof body === 'string' ? body : JSON.stringify(body);

test.each([
  ['message', { message: 'Too long', error: 'Bad Request' }],
  ['error', { error: 'Too long', detail: 'no' }],
  ['error.message', { error: { message: 'Too long', code: 7 }, title: 'no' }],
  ['detail', { title: 'no', detail: 'Too long' }],
  ['title', { type: 'about:blank', title: 'Too long' }],
  ['errors[0].message', { errors: [{ message: 'Too long' }, { message: 'no' }] }],
  ['a message that is no text, then error', { message: ['no'], error: 'Too long' }],
  ['an empty message, then detail', { message: ' ', detail: 'Too long' }],
  ['a JSON text', '"Too long"'],
  ['plain text of several lines', '\r\n Too\n\tlong \u2028\n'],
  ['text with a control character', { message: 'Too\u001blong' }],
  ['text that turns the line around', { message: 'Too\u202elong' }],
])('the words are found, and written on one line: %s', (_, body) => {
  expect(toWords(toText(body))).toBe('Too long');
});

test('at most 200 characters are kept, and none of them is cut in two', () => {
  const words = toWords(JSON.stringify({ message: '\u{1f600}'.repeat(300) }));

  expect(words).toBe(`${'\u{1f600}'.repeat(199)}\u2026`);
});

test.each([
  ['HTML', '<!DOCTYPE html><h1>Nope</h1>'],
  ['HTML with text before it', 'Error: <a href="/login">log in</a>'],
  ['JSON without such a field', { code: 7, reason: { text: 'no' } }],
  ['JSON cut short', '{"message":"Too lo'],
  ['bytes that are no text', '\u001f\u008b\u0000compressed'],
  ['white space', ' \n '],
])('there are none for people in %s', (_, body) => {
  expect(toWords(toText(body))).toBeNull();
});
