import { expect, test } from 'vitest';
import { Cancellation, IS_OVER } from '../../src/callers/abort.ts';
import { RestStatusError } from '../../src/rest/errors.ts';
import { createParse, toSeconds, toSuccess } from '../../src/rest/response.ts';

/** The error for an answer with this body, and the length of each text that was redacted. */
function refuse(text: string) {
  const redacted: number[] = [];
  const redact = (body: string) => {
    redacted.push(body.length);
    return body;
  };
  const answer = { status: 400, headers: {}, text, bytes: text.length };
  try {
    toSuccess({ method: 'GET', route: '/v1/messages' }, answer, redact);
  } catch (error) {
    if (error instanceof RestStatusError) return { details: error.details, redacted };
  }
  throw new Error('The answer was not refused.');
}

// security: long-error-pages
test('the body of an error is redacted when it is first read, once, and only its beginning', () => {
  const { details, redacted } = refuse(`100% ${'x'.repeat(65_536)}`);
  expect(redacted).toEqual([]);

  const first = details.body;
  const second = details.body;

  expect(first).toBe(`100% ${'x'.repeat(4091)}`);
  expect(second).toBe(first);
  expect(redacted).toHaveLength(1);
  expect(redacted[0]).toBeLessThanOrEqual(16_384);
});

test.each([
  ['nothing', '', null],
  ['JSON', '{"a":[1]}', { a: [1] }],
  ['text', 'no', 'no'],
  ['JSON cut short', '{"a":', '{"a":'],
  [
    'text, cut to 4 KiB between two characters',
    `x${'é'.repeat(5000)}`,
    `x${'é'.repeat(2047)}`,
  ],
])('the body of an error is shown as it is: %s', (_, text, body) => {
  expect(refuse(text).details.body).toEqual(body);
});

test('the words of an error are found in more of its body than is shown', () => {
  const text = JSON.stringify({ message: 'Too long', errors: 'x'.repeat(5000) });

  expect(refuse(text).details.words).toBe('Too long');
});

test.each([
  ['7', 7],
  ['3.5', 4],
  ['9999999999', 9_999_999_999],
  [new Date(0).toUTCString(), 0],
  ['soon', null],
  ['-1', null],
  [undefined, null],
])('Retry-After: %s means %s seconds', (header, seconds) => {
  expect(toSeconds(header)).toBe(seconds);
});

test('Retry-After with a date in the future means the seconds until then', () => {
  const seconds = toSeconds(new Date(Date.now() + 9_000_000).toUTCString());

  expect(seconds).toBeGreaterThan(8000);
  expect(seconds).toBeLessThanOrEqual(9001);
});

// security: leaving-clients
test('a long answer is not parsed when nobody waits for it any more', async () => {
  const text = `not JSON${' '.repeat(300_000)}`;
  const parse = createParse('metadata');
  const call = { method: 'GET', route: '/v1/messages' } as const;
  const answer = { status: 200, headers: {}, text, bytes: text.length };
  const client = new Cancellation();

  const parsed = parse(call, answer, { signal: client, isExact: true });
  client.abort(IS_OVER);

  await expect(parsed).rejects.toBe(IS_OVER);
});
