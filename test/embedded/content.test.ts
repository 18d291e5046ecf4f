import { expect, test } from 'vitest';
import type { Answers } from '../../src/embedded/answers.ts';
import type { Message } from '../../src/embedded/resources.ts';
import { startWithMessage } from './service.ts';

test.each<[form: string, fields: Partial<Message>]>([
  [
    'reactions[heart][]=ada&reactions[heart][]=grace&reactions[%F0%9F%8E%89][]=ada',
    { reactions: [{ heart: ['ada', 'grace'] }, { '🎉': ['ada'] }] },
  ],
  [
    'reactions%5Bheart%5D[0]=ada&reactions[heart][1]=grace',
    { reactions: [{ heart: ['ada', 'grace'] }] },
  ],
  [
    'reactions[9][]=ada&reactions[1][]=ada',
    { reactions: [{ 9: ['ada'] }, { 1: ['ada'] }] },
  ],
  [
    'reactions[a.b][]=ada&reactions[a+b][]=ada&reactions[a%26b%3Dc%25][]=ada',
    { reactions: [{ 'a.b': ['ada'] }, { 'a b': ['ada'] }, { 'a&b=c%': ['ada'] }] },
  ],
  ['reactions[constructor][]=ada', { reactions: [{ constructor: ['ada'] }] }],
  ['reactions[x][]=ada&reactions[x][]=ada', { reactions: [{ x: ['ada'] }] }],
  ['reactions[heart]=&reactions[x][]=ada', { reactions: [{ x: ['ada'] }] }],
  [
    'attachments[0][url]=x&attachments[0][meta][width]=3&attachments[1]=plain',
    { attachments: [{ url: 'x', meta: { width: '3' } }, 'plain'] },
  ],
  ['attachments=', { attachments: [] }],
  ['attachments[0][0][0]=a&attachments[0][1][]=b', { attachments: [[['a'], ['b']]] }],
  // An index above the length is a name.
  ['attachments[0][3]=a', { attachments: [{ 3: 'a' }] }],
  ['attachments[0][toString]=a', { attachments: [{ toString: 'a' }] }],
  [
    Array.from({ length: 300 }, (_, index) => `attachments[]=${index}`).join('&'),
    { attachments: Array.from({ length: 300 }, (_, index) => `${index}`) },
  ],
])('the structure of a form is kept: %s', async (form, fields) => {
  await using service = await startWithMessage({}, '&attachments[]=old');

  const { body } = await service.ask<Message>(`PUT ${service.path}`, form);

  expect(body).toEqual({ ...service.sent.body, ...fields, updated_at: body.updated_at });
});

test.each<[Answers['reactions'], string, object[]]>([
  ['replace', 'reactions=', []],
  ['replace', 'reactions[heart]=', [{ party: ['ada'] }]],
  ['replace', 'reactions[heart][]=bob', [{ heart: ['bob'] }, { party: ['ada'] }]],
  ['add', 'reactions[heart]=', [{ party: ['ada'] }]],
  ['add', 'reactions[heart][]=bob', [{ heart: ['ada', 'bob'] }, { party: ['ada'] }]],
  ['add', 'reactions[x][]=bob', [{ heart: ['ada'] }, { party: ['ada'] }, { x: ['bob'] }]],
])('with reactions=%s, %s has its effect', async (answer, form, expected) => {
  await using service = await startWithMessage({ reactions: answer });
  await service.ask(
    `PUT ${service.path}`,
    'reactions[heart][]=ada&reactions[party][]=ada',
  );

  const { body } = await service.ask<Message>(`PUT ${service.path}`, form);

  expect(body.reactions).toEqual(expected);
});

test.each([
  [
    'a reaction called __proto__',
    'reactions[__proto__][]=ada',
    '"reactions":[{"__proto__":["ada"]}]',
  ],
  [
    'the order of the keys of an attachment',
    'attachments[0][z]=1&attachments[0][__proto__]=2&attachments[0][a]=3',
    '"attachments":[{"z":"1","__proto__":"2","a":"3"}]',
  ],
  [
    'an attachment of 64 levels',
    `attachments[0]${'[a]'.repeat(64)}=deep`,
    `${'{"a":'.repeat(64)}"deep"`,
  ],
])('an update keeps %s', async (_, form, expected) => {
  await using service = await startWithMessage();

  const { text } = await service.ask(`PUT ${service.path}`, form);

  expect(text).toContain(expected);
});
