import { expect, test, vi } from 'vitest';
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

// security: flooded-socket
test.each(['"a":"",', '"id":1,', '"id":"\\x",', '"id"  ,'])(
  'no more of a message is decoded than it has, if it repeats %s',
  (part) => {
    const data = Buffer.from(`{${part.repeat(1000)}"z":0}`);
    const decode = vi.spyOn(data, 'toString');

    expect(findField(data, 'id')).toBeNull();
    const bytes = decode.mock.calls.map(([, from = 0, to = 0]) => to - from);
    expect(bytes.reduce((sum, count) => sum + count, 0)).toBeLessThan(data.length);
  },
);
