import { expect, test } from 'vitest';
import {
  type Answers,
  DEFAULT_ANSWERS,
  parseAnswers,
} from '../../src/embedded/answers.ts';

test('without words every answer has its default', () => {
  expect(parseAnswers([])).toEqual(DEFAULT_ANSWERS);
});

test.each<[string, Partial<Answers>]>([
  ['reactionNames=heart,👍', { reactionNames: ['heart', '👍'] }],
  ['reactionNames=none', { reactionNames: null }],
  ['attachments=flat', { attachments: 'flat' }],
  ['timestampUnit=milliseconds', { timestampUnit: 'milliseconds' }],
  ['archived=frozen', { archived: 'frozen' }],
  ['readStatus=203', { readStatus: 203 }],
  ['createStatus=201', { createStatus: 201 }],
  ['updateStatus=202', { updateStatus: 202 }],
  ['deleteStatus=204', { deleteStatus: 204 }],
  ['deleteBody=empty', { deleteBody: 'empty' }],
  ['paging=starting_after', { paging: 'starting_after' }],
  ['pagingParam=after', { pagingParam: 'after' }],
  ['pagingBackParam=before', { pagingBackParam: 'before' }],
  ['unknownCursor=404', { unknownCursor: 404 }],
  ['unknownCursor=empty', { unknownCursor: 'empty' }],
  ['order=oldest', { order: 'oldest' }],
  ['reactions=add', { reactions: 'add' }],
  ['jsonBodies=accept', { jsonBodies: 'accept' }],
  ['bothIds=both', { bothIds: 'both' }],
  ['errorFormat=html', { errorFormat: 'html' }],
  ['unknownId=410', { unknownId: 410 }],
  ['maxLimit=50', { maxLimit: 50 }],
  ['maxLimit=none', { maxLimit: null }],
  ['aboveMaxLimit=422', { aboveMaxLimit: 422 }],
  ['rateLimit=5', { rateLimit: 5 }],
  ['retryAfter=date', { retryAfter: 'date' }],
  ['maxMessageLength=280', { maxMessageLength: 280 }],
  ['maxAttachments=4', { maxAttachments: 4 }],
  ['oversizeStatus=422', { oversizeStatus: 422 }],
])('%s sets its answer and no other', (word, answers) => {
  expect(parseAnswers([word])).toEqual({ ...DEFAULT_ANSWERS, ...answers });
});

test('every problem has a line of its own', () => {
  const words = ['order=random', 'maxLimit=50', 'unknownId=403', 'colour=red', 'limit'];

  const parse = () => parseAnswers(words);

  expect(parse).toThrow(
    /^order=random: takes newest, oldest, id\nunknownId=403: takes 404, 410, 400\ncolour=red: unknown name; .*\nlimit: unknown name; .*$/,
  );
});

test.each([
  'maxLimit=0',
  'maxLimit=',
  'maxLimit=1e3',
  'maxLimit',
  'createStatus=204',
  'readStatus=404',
  'deleteStatus=302',
  'reactionNames=',
  'reactionNames=a,,b',
  'pagingParam=limit',
  'pagingParam=a[b]',
  'unknownCursor=',
  'constructor=x',
  '__proto__=x',
  '=x',
  '',
])('"%s" is refused, and the error repeats it', (word) => {
  expect(() => parseAnswers([word])).toThrow(`${word}: `);
});

test('an answer that is given twice is refused', () => {
  expect(() => parseAnswers(['order=id', 'order=oldest'])).toThrow(
    'order=oldest: order is given twice',
  );
});
