import { expect, test } from 'vitest';
import { RestDecodeError } from '../../src/rest/errors.ts';

test('an error for a malformed item has no stack, since one response can cause thousands', () => {
  const limit = Error.stackTraceLimit;

  const error = new RestDecodeError({ method: 'GET', route: '/v1/messages' }, 'is odd');

  expect(error.stack).not.toContain('\n    at ');
  expect(new Error('any other').stack).toContain('\n    at ');
  expect(Error.stackTraceLimit).toBe(limit);
});
