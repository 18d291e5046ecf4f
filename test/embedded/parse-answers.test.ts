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
  ['attachments=flat', { attachments: 'flat' }],
  ['readStatus=203', { readStatus: 203 }],
  ['deleteStatus=204', { deleteStatus: 204 }],
  ['pagingParam=after', { pagingParam: 'after' }],
  ['unknownCursor=404', { unknownCursor: 404 }],
  ['unknownCursor=empty', { unknownCursor: 'empty' }],
  ['maxLimit=50', { maxLimit: 50 }],
  ['maxLimit=none', { maxLimit: null }],
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
  'maxLimit=1e3',
  'maxLimit',
  'createStatus=204',
  'deleteStatus=302',
  'reactionNames=a,,b',
  'pagingParam=limit',
  'pagingParam=a[b]',
  'unknownCursor=',
  '__proto__=x',
  '',
])('"%s" is refused, and the error repeats it', (word) => {
  expect(() => parseAnswers([word])).toThrow(`${word}: `);
});

test('an answer that is given twice is refused', () => {
  expect(() => parseAnswers(['order=id', 'order=oldest'])).toThrow(
    'order=oldest: order is given twice',
  );
});
