import { expect, test } from 'vitest';
import { CollectedErrors } from '../../src/execution/errors.ts';
import { BadInputError } from '../../src/rest/errors.ts';

const list = { prev: undefined, key: 'list', typename: 'Query' };
const item = { prev: list, key: 0, typename: undefined };

/** The errors of values at these paths that become null. */
function errorsOf(cause: Error, paths: readonly (typeof list | typeof item)[]) {
  const errors = new CollectedErrors();
  for (const path of paths) errors.fail({ nodes: [] }, { isNonNull: false }, cause, path);
  return errors.toList();
}

test('the error of a field has its place, and no stack besides that of its cause', () => {
  const cause = new TypeError('A bug.');
  const [error] = errorsOf(cause, [list]);

  expect(error?.path).toEqual(['list']);
  expect(error?.message).toBe('A bug.');
  expect(error?.originalError).toBe(cause);
  expect(cause.stack).toMatch(/^ {4}at /m);
});

// security: whole-thread
test('neither an expected error nor its place in the answer has a stack', () => {
  const cause = new BadInputError('No such thing.');
  const [error] = errorsOf(cause, [list]);

  expect(cause.stack).not.toMatch(/^ {4}at /m);
  expect(error?.stack).not.toMatch(/^ {4}at /m);
  expect(new Error('Any other.').stack).toMatch(/^ {4}at /m);
});

test('errors inside a value that is null already are left out', () => {
  const errors = errorsOf(new Error('failed'), [list, item]);

  expect(errors.map(({ path }) => path)).toEqual([['list']]);
});
