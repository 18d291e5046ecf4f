import { expect, test } from 'vitest';
import type { Answers } from '../../src/embedded/answers.ts';
import type { Message } from '../../src/embedded/resources.ts';
import { startWithMessage } from './service.ts';

test.each([
  [
    'several names',
    'reactions[heart][]=ada&reactions[heart][]=grace&reactions[%F0%9F%8E%89][]=ada',
    [{ heart: ['ada', 'grace'] }, { '🎉': ['ada'] }],
  ],
  [
    'encoded brackets, and indices',
    'reactions%5Bheart%5D[0]=ada&reactions[heart][1]=grace',
    [{ heart: ['ada', 'grace'] }],
  ],
  [
    'numbers, in order',
    'reactions[9][]=ada&reactions[1][]=ada',
    [{ 9: ['ada'] }, { 1: ['ada'] }],
  ],
  [
    'dots, spaces and reserved characters',
    'reactions[a.b][]=ada&reactions[a+b][]=ada&reactions[a%26b%3Dc%25][]=ada',
    [{ 'a.b': ['ada'] }, { 'a b': ['ada'] }, { 'a&b=c%': ['ada'] }],
  ],
  ['constructor', 'reactions[constructor][]=ada', [{ constructor: ['ada'] }]],
  ['a username twice', 'reactions[x][]=ada&reactions[x][]=ada', [{ x: ['ada'] }]],
  ['an empty value', 'reactions[heart]=&reactions[x][]=ada', [{ x: ['ada'] }]],
])('reactions are read from a form: %s', async (_case, form, reactions) => {
  await using service = await startWithMessage();

  const { body } = await service.ask<Message>(`PUT ${service.path}`, form);

  expect(body.reactions).toEqual(reactions);
});

test.each<[Answers['reactions'], string, object[]]>([
  ['replace', 'reactions=', []],
  ['replace', 'reactions[heart]=', [{ party: ['ada'] }]],
  ['replace', 'reactions[heart][]=bob', [{ heart: ['bob'] }, { party: ['ada'] }]],
  ['add', 'reactions[heart]=', [{ party: ['ada'] }]],
  ['add', 'reactions[heart][]=bob', [{ heart: ['ada', 'bob'] }, { party: ['ada'] }]],
  ['add', 'reactions[x][]=bob', [{ heart: ['ada'] }, { party: ['ada'] }, { x: ['bob'] }]],
])(
  'with reactions=%s, %s replaces, extends or removes reactions',
  async (answer, form, expected) => {
    await using service = await startWithMessage({ reactions: answer });
    await service.ask(
      `PUT ${service.path}`,
      'reactions[heart][]=ada&reactions[party][]=ada',
    );

    const { body } = await service.ask<Message>(`PUT ${service.path}`, form);

    expect(body.reactions).toEqual(expected);
  },
);

test.each([
  [
    'an object and a text',
    'attachments[0][url]=x&attachments[0][meta][width]=3&attachments[1]=plain',
    [{ url: 'x', meta: { width: '3' } }, 'plain'],
  ],
  ['an empty list', 'attachments=', []],
  ['lists in lists', 'attachments[0][0][0]=a&attachments[0][1][]=b', [[['a'], ['b']]]],
  ['an index above the length is a name', 'attachments[0][3]=a', [{ 3: 'a' }]],
  ['names of Object.prototype', 'attachments[0][toString]=a', [{ toString: 'a' }]],
])(
  'attachments are read from a form, with their structure: %s',
  async (_case, form, attachments) => {
    await using service = await startWithMessage({}, '&attachments[]=old');

    const { body } = await service.ask<Message>(`PUT ${service.path}`, form);

    expect(body.attachments).toEqual(attachments);
  },
);

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
])('an update keeps %s', async (_case, form, expected) => {
  await using service = await startWithMessage();

  const { text } = await service.ask(`PUT ${service.path}`, form);

  expect(text).toContain(expected);
});

test('300 attachments are a list', async () => {
  await using service = await startWithMessage();
  const fields = Array.from({ length: 300 }, (_, index) => `attachments[]=${index}`);

  const { body } = await service.ask<Message>(`PUT ${service.path}`, fields.join('&'));

  expect(body.attachments).toHaveLength(300);
  expect(body.attachments[299]).toBe('299');
});
