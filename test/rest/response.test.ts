import { expect, test } from 'vitest';
import { RestStatusError } from '../../src/rest/errors.ts';
import { toSuccess } from '../../src/rest/response.ts';

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
])('the body of an error is shown as it is: %s', (_what, text, body) => {
  expect(refuse(text).details.body).toEqual(body);
});
