import { expect, test } from 'vitest';
import { CollectedErrors } from '../../src/execution/errors.ts';
import { BadInputError } from '../../src/rest/errors.ts';

test('the error of a field has its place, and no stack besides that of its cause', () => {
  const cause = new TypeError('A bug.');
  const error = new CollectedErrors().locate(cause, [], {
    prev: undefined,
    key: 'a',
    typename: 'Query',
  });

  expect(error.path).toEqual(['a']);
  expect(error.message).toBe('A bug.');
  expect(error.originalError).toBe(cause);
  expect(cause.stack).toMatch(/^ {4}at /m);
});

test('neither an expected error nor its place in the answer has a stack', () => {
  const cause = new BadInputError('No such thing.');
  const error = new CollectedErrors().locate(cause, [], {
    prev: undefined,
    key: 'a',
    typename: 'Query',
  });

  expect(cause.stack).not.toMatch(/^ {4}at /m);
  expect(error.stack).not.toMatch(/^ {4}at /m);
});

test('errors inside a value that is null already are left out', () => {
  const errors = new CollectedErrors();
  const list = { prev: undefined, key: 'list', typename: 'Query' };
  const item = { prev: list, key: 0, typename: undefined };
  const error = (path: typeof item | typeof list) =>
    errors.locate(new Error('failed'), [], path);

  errors.add(error(list), list);
  errors.add(error(item), item);

  expect(errors.list.map(({ path }) => path)).toEqual([['list']]);
});
