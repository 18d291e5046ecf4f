import { expect, test } from 'vitest';
import {
  type Answers,
  DEFAULT_ANSWERS,
  parseAnswers,
} from '../../src/embedded/answers.ts';

test.each<[words: string[], Partial<Answers>]>([
  [[], {}],
  [['reactionNames=heart,👍'], { reactionNames: ['heart', '👍'] }],
  [['readStatus=203', 'deleteStatus=204'], { readStatus: 203, deleteStatus: 204 }],
  [
    ['pagingParam=after', 'unknownCursor=404'],
    { pagingParam: 'after', unknownCursor: 404 },
  ],
  [['unknownCursor=empty', 'maxLimit=50'], { unknownCursor: 'empty', maxLimit: 50 }],
  [['maxLimit=none'], { maxLimit: null }],
])('%j set their answers and no others', (words, answers) => {
  expect(parseAnswers(words)).toEqual({ ...DEFAULT_ANSWERS, ...answers });
});

test('every problem has a line of its own', () => {
  const words = ['order=random', 'maxLimit=50', 'unknownId=403', 'colour=red', 'limit'];

  expect(() => parseAnswers(words)).toThrow(
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
