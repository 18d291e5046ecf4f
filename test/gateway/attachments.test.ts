import { describe, expect, test } from 'vitest';
import { startScripted, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { NOWHERE, post } from '../support/http.ts';
import { rawNumber } from '../support/raw-json.ts';
import { wireMessage, wirePage } from '../support/wire.ts';
import { sendOperation } from '../support/write.ts';

/** Sends a message with attachments in the operation's text, where `$u` is a variable; returns their form. */
async function sendLiteral(attachments: string, variables: Record<string, unknown> = {}) {
  const declared = attachments.includes('$u') ? '($u: String)' : '';
  const { form, errors } = await sendOperation(
    `mutation ${declared} {
      sendMessage(input: { conversationId: "c1", message: "m", attachments: ${attachments} }) {
        message { id }
      }
    }`,
    { variables },
  );
  expect(errors).toBeUndefined();
  return decodeURIComponent(form).replace('conversation_id=c1&message=m&', '');
}

describe('attachments in the text of an operation', () => {
  test('keep every digit of their numbers', async () => {
    const literals = {
      '12345678901234567890': '12345678901234567890',
      '-9007199254740993': '-9007199254740993',
      '52.12345678901234567890': '52.12345678901234567890',
      '1e999': '1e999',
      '1234567890123456.7e-320': '1234567890123456.7e-320',
      '0.30000000000000004': '0.30000000000000004',
      '0.10': '0.1',
      '1E3': '1000',
      '-1.5e-3': '-0.0015',
    };

    const form = await sendLiteral(`[${Object.keys(literals)}, true, "x"]`);

    const sent = [...Object.values(literals), 'true', 'x'];
    expect(form).toBe(sent.map((text, i) => `attachments[${i}]=${text}`).join('&'));
  });

  test.each([
    ['[{ url: $u, k: "x" }]', 'attachments[0][k]=x'],
    ['[{ url: $u }, { url: "x" }]', 'attachments[0]=&attachments[1][url]=x'],
    ['[{ a: { url: $u } }, "z"]', 'attachments[0][a]=&attachments[1]=z'],
    ['[{ list: [$u, "b"] }]', 'attachments[0][list][0]=&attachments[0][list][1]=b'],
  ])('leave out a variable without a value alone: %s', async (literal, form) => {
    expect(await sendLiteral(literal)).toBe(form);
  });

  test.each([
    ['text', 'x', 'attachments[0][list][0]=x&attachments[0][url]=x'],
    ['null', null, 'attachments[0][list][0]=&attachments[0][url]='],
  ])('take the value of a variable as it is: %s', async (_, u, form) => {
    expect(await sendLiteral('[{ list: [$u], url: $u }]', { u })).toBe(form);
  });
});

describe('numbers in the attachments of a message', () => {
  /** Numbers that a double, or JavaScript's way to write one, would change. */
  const NUMBERS = [
    '9007199254740993',
    '1'.repeat(400),
    '0.1000000000000000055511151231257827',
    '1e-400',
    '-2.5E-4000',
    '1.0',
    '0.00000010',
    '-0',
    '1E5',
    '7',
  ];
  const LIST = `[{"n":[${NUMBERS}],"lists":[[${NUMBERS.join('],[')}]]},${NUMBERS}]`;

  /** A message with attachments exactly as they are written here. */
  const withAttachments = (id: string, attachments: string): string =>
    JSON.stringify(wireMessage(id, { attachments: ['@'] })).replace('["@"]', attachments);

  async function readText(url: string, query: string): Promise<string> {
    const response = await post(url, { query }, { authorization: 'Bearer ann-token' });
    return response.text();
  }

  // security: altered-number
  test('come out as the service wrote them', async () => {
    const page = JSON.stringify(wirePage(['@']));
    await using gateway = await startScripted({
      'GET /v1/messages/m1': withAttachments('m1', LIST),
      'GET /v1/messages': page.replace('"@"', withAttachments('m2', LIST)),
    });

    const one = await readText(gateway.url, '{ message(id: "m1") { attachments } }');
    const all = await readText(gateway.url, '{ messages { nodes { attachments } } }');

    expect(one).toBe(`{"data":{"message":{"attachments":${LIST}}}}\n`);
    expect(all).toBe(`{"data":{"messages":{"nodes":[{"attachments":${LIST}}]}}}\n`);
  });
});

describe('numbers in the variables of an operation', () => {
  const SEND_LIST = `mutation ($list: [JSON!]!) {
    sendMessage(input: { conversationId: "c1", message: "m", attachments: $list }) { message { id } }
  }`;
  const SEND_INPUT = `mutation ($input: SendMessageInput!) {
    sendMessage(input: $input) { message { id } }
  }`;
  const IN_LITERAL = `mutation ($n: JSON!) {
    sendMessage(input: { conversationId: "c1", message: "m", attachments: [{ n: $n }, $n] }) { message { id } }
  }`;

  // security: altered-number
  test.each([['9007199254740993'], ['1'.repeat(400)], ['1e-400'], ['1e400']])(
    'travel in forms as they are: %s',
    async (text) => {
      const n = rawNumber(text);
      const list = [{ n }, n];
      const input = { conversationId: 'c1', message: 'm', attachments: list };

      const sent = await Promise.all([
        sendOperation(SEND_LIST, { variables: { list } }),
        sendOperation(SEND_INPUT, { variables: { input } }),
        sendOperation(IN_LITERAL, { variables: { n } }),
      ]);

      for (const { form } of sent)
        expect(decodeURIComponent(form)).toBe(
          `conversation_id=c1&message=m&attachments[0][n]=${text}&attachments[1]=${text}`,
        );
    },
  );

  test.each([
    ['1e1', 200],
    ['10.0', 200],
    ['1e-400', 400],
    ['9007199254740993', 400],
  ])('are an Int only if their value is one: %s', async (text, status) => {
    await using gateway = await startTestGateway(NOWHERE);

    const answer = await gateway.ask(
      'query ($n: Int) { messages(first: $n) { nodes { id } } }',
      { variables: { n: rawNumber(text) } },
    );

    expect(answer.status).toBe(status);
  });
});

describe('attachments by the hundred thousand', () => {
  const SEND =
    'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { id } } }';

  /** Sends a message with attachments that are given as JSON. */
  async function send(gateway: TestGateway, attachments: string, message = 'x') {
    const input = `{"conversationId":"c1","message":"${message}","attachments":[${attachments}]}`;
    const body = `{"query":"${SEND}","variables":{"input":${input}}}`;
    const response = await post(gateway.url, body, { authorization: 'Bearer ann-token' });
    return { status: response.status, answer: await response.json() };
  }

  /** As many as fit into so many bytes. */
  const fill = (bytes: number, item: string): string =>
    Array(Math.floor(bytes / (item.length + 1)))
      .fill(item)
      .join(',');

  // security: attachments-of-numbers
  test.each([['1'], ['{}']])(
    'of more than 131,072 items are refused before they are read: %s',
    async (item) => {
      await using gateway = await startTestGateway(NOWHERE);

      const { status, answer } = await send(gateway, fill(1_048_000, item));

      expect(status).toBe(413);
      expect(answer).toEqual({
        errors: [
          {
            message:
              'The body has more than 1048576 bytes, more than 131072 items and fields, or more than 60000 numbers of many digits, or it comes in thousands of tiny chunks.',
            extensions: { code: 'BAD_REQUEST' },
          },
        ],
      });
    },
  );

  test('are not the commas in a text, nor those after a quote in it', async () => {
    await using gateway = await startScripted({ 'POST /v1/messages': wireMessage('m1') });

    const { answer } = await send(gateway, '1', `\\"${','.repeat(700_000)}\\\\`);

    expect(answer).toEqual({ data: { sendMessage: { message: { id: 'm1' } } } });
  });
});
