import { describe, expect, test } from 'vitest';
import { sendOperation, write } from '../support/write.ts';

/** Sends a message with attachments in the operation's text, where `$u` is a variable; returns their form. */
async function sendLiteral(attachments: string, variables: Record<string, unknown> = {}) {
  const declared = attachments.includes('$u') ? '($u: String)' : '';
  const { decoded, errors } = await sendOperation(
    `mutation ${declared} {
      sendMessage(input: { conversationId: "c1", message: "m", attachments: ${attachments} }) {
        message { id }
      }
    }`,
    variables,
  );
  expect(errors).toBeUndefined();
  return decoded.replace('conversation_id=c1&message=m&', '');
}

const deep = (levels: number): unknown => (levels === 0 ? 'x' : { a: deep(levels - 1) });

describe('attachments', () => {
  test.each([
    ['an object', [{ url: 'https://media.example/a?b=c&d', name: 'x y' }]],
    ['nested objects and lists', [{ a: { b: [{ c: '1' }, { d: ['2', '3'] }] } }]],
    ['objects that a parser could merge', [{ x: '1' }, { y: '2' }, { x: '3' }]],
    ['plain text', ['one', 'two']],
    ['lists in lists', [['a', ['b']], ['c']]],
    ['more than twenty', Array.from({ length: 30 }, (_, i) => ({ n: `${i}` }))],
    ['keys of every kind', [{ 'a b': '1', 'ü👍': '2', 'a.b': '3', 'a&b=c': '4' }]],
    ['sixty-four levels', [deep(64)]],
  ])('keep their structure: %s', async (_what, attachments) => {
    const { parsed, errors } = await write('sendMessage', { attachments });

    expect(errors).toBeUndefined();
    expect(parsed).toMatchObject({ attachments });
  });

  test('are sent as text, since a form has no other values', async () => {
    const { parsed } = await write('sendMessage', {
      attachments: [
        { n: 1.5, yes: true, no: false, none: null, list: [], object: {} },
        7,
      ],
    });

    expect(parsed).toMatchObject({
      attachments: [
        { n: '1.5', yes: 'true', no: 'false', none: '', list: '', object: '' },
        '7',
      ],
    });
  });

  test('may be written into the operation', async () => {
    expect(await sendLiteral('[{ a: [1, true, "x"] }]')).toBe(
      'attachments[0][a][0]=1&attachments[0][a][1]=true&attachments[0][a][2]=x',
    );
  });

  test.each([
    ['12345678901234567890', '12345678901234567890'],
    ['-9007199254740993', '-9007199254740993'],
    ['52.12345678901234567890', '52.12345678901234567890'],
    ['1e999', '1e999'],
    ['-1e-999', '-1e-999'],
    ['1234567890123456.7e-320', '1234567890123456.7e-320'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['0.10', '0.1'],
    ['1E3', '1000'],
    ['-1.5e-3', '-0.0015'],
    ['7', '7'],
  ])(
    'keep every digit of a number in the text of the operation: %s',
    async (literal, sent) => {
      expect(await sendLiteral(`[{ n: ${literal} }]`)).toBe(`attachments[0][n]=${sent}`);
    },
  );

  test.each([
    ['[{ url: $u, k: "x" }]', 'attachments[0][k]=x'],
    ['[{ url: $u }]', 'attachments[0]='],
    ['[{ url: $u }, { url: "x" }]', 'attachments[0]=&attachments[1][url]=x'],
    ['[{ a: { url: $u } }, "z"]', 'attachments[0][a]=&attachments[1]=z'],
    ['[{ list: [$u, "b"] }]', 'attachments[0][list][0]=&attachments[0][list][1]=b'],
  ])(
    'leave out a variable without a value, and nothing else: %s',
    async (literal, form) => {
      expect(await sendLiteral(literal)).toBe(form);
    },
  );

  test.each([
    ['text', 'x', 'attachments[0][list][0]=x&attachments[0][url]=x'],
    ['null', null, 'attachments[0][list][0]=&attachments[0][url]='],
  ])('take the value of a variable as it is: %s', async (_what, u, form) => {
    expect(await sendLiteral('[{ list: [$u], url: $u }]', { u })).toBe(form);
  });

  test('may have keys that every object inherits', async () => {
    const attachments = [JSON.parse('{"__proto__":"1","constructor":{"prototype":"2"}}')];

    const { decoded, errors } = await write('sendMessage', { attachments });

    expect(errors).toBeUndefined();
    expect(decoded).toContain(
      'attachments[0][__proto__]=1&attachments[0][constructor][prototype]=2',
    );
  });

  test.each([
    ['65 levels', [deep(65)]],
    ['an empty key', [{ '': 1 }]],
    ['a key with [', [{ 'a[': 1 }]],
    ['a key with ]', [{ a: [{ ']': 1 }] }]],
    ['a key that is not Unicode', [{ '\udc00': 1 }]],
    ['a value that is not Unicode', [{ a: ['\udc00'] }]],
    ['a form of 300 MB', [{ ['k'.repeat(300_000)]: Array(1000).fill(1) }]],
  ])('are refused before any call: %s', async (_what, attachments) => {
    const { calls, errors, data } = await write('updateMessage', { attachments });

    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
    expect(data).toEqual({ updateMessage: null });
    expect(calls).toEqual([]);
  });
});
