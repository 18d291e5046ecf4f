import { expect, test } from 'vitest';
import { findField } from '../../src/http/socket/messages.ts';

test.each([
  ['at the start', '{"id":"1","type":"subscribe","payload":{"id":"2"}}', '1'],
  ['at the end', '{"type":"subscribe","payload":{"id":"2","a":["[{"]},"id" : "1"}', '1'],
  ['that is escaped', '{"id":"\\u0061\\"b"}', 'a"b'],
  ['behind the text "id"', '{"type":"id","a":"\\"id\\":\\"2\\"","id":"1"}', '1'],
  ['only further inside', '{"payload":{"id":"2"},"list":[{"id":"3"}]}', null],
  ['that is a number', '{"id":1}', null],
  ['that is not closed', '{"id":"1', null],
  ['that is no JSON', '{"id":"\\x"}', null],
])('a message with an id %s', (_, message, id) => {
  expect(findField(Buffer.from(message), 'id')).toBe(id);
});
