import { expect, test } from 'vitest';
import { parse } from '../../bench/performance/client.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n';

test.each([
  ['a part of the head', HEAD.slice(0, 20)],
  ['a part of the body', `${HEAD}hell`],
  [
    'a part of the chunks',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel',
  ],
])('%s is no answer yet', (_, bytes) => {
  expect(parse(Buffer.from(bytes))).toBeNull();
});

test('an answer with a length is read', () => {
  const answer = parse(Buffer.from(`${HEAD}hello`));

  expect(answer?.status).toBe(200);
  expect(`${answer?.body}`).toBe('hello');
});

test('an answer without a length or chunks is refused', () => {
  expect(() => parse(Buffer.from('HTTP/1.1 200 OK\r\n\r\nhello\r\n'))).toThrow(
    'without a length',
  );
});

test('an answer in chunks is read', () => {
  const bytes =
    'HTTP/1.1 404 Not Found\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\nb\r\n 0\r\n\r\nworld\r\n0\r\n\r\n';

  const answer = parse(Buffer.from(bytes));

  expect(answer?.status).toBe(404);
  expect(`${answer?.body}`).toBe('hello 0\r\n\r\nworld');
});
