import { expect, test } from 'vitest';
import { RestDecodeError } from '../../src/rest/errors.ts';

test('an error for an answer keeps no stack, of which one answer could ask for thousands', () => {
  const limit = Error.stackTraceLimit;

  const error = new RestDecodeError({ method: 'GET', route: '/v1/messages' }, 'is odd');

  expect(error.stack).not.toContain('\n    at ');
  expect(new Error('any other').stack).toContain('\n    at ');
  expect(Error.stackTraceLimit).toBe(limit);
});
