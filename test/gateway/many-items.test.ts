import { describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { NOWHERE, post } from '../support/http.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

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

const HALF_A_MEBIBYTE = 524_288;
const ALMOST_A_MEBIBYTE = 1_048_000;

describe('attachments', () => {
  test.each([
    ['numbers', '1', 262_144],
    ['empty lists', '[]', 174_762],
  ])(
    'of half a mebibyte are sent, even if they are short %s',
    async (_what, item, count) => {
      await using upstream = await startUpstream({
        'POST /v1/messages': wireMessage('m1'),
      });
      await using gateway = await startTestGateway(upstream.url);

      const { answer } = await send(gateway, fill(HALF_A_MEBIBYTE, item));

      expect(answer).toEqual({ data: { sendMessage: { message: { id: 'm1' } } } });
      const [{ form = '' } = {}] = upstream.calls;
      expect(form.match(/&attachments%5B/g)).toHaveLength(count);
    },
  );

  test.each([['1'], ['[]'], ['{}'], ['""']])(
    'of more than 270,000 items are refused before they are read: %s',
    async (item) => {
      await using gateway = await startTestGateway(NOWHERE);

      const { status, answer } = await send(gateway, fill(ALMOST_A_MEBIBYTE, item));

      expect(status).toBe(413);
      expect(answer).toEqual({
        errors: [
          {
            message:
              'The body has more than 1048576 bytes, more than 270000 items and fields, or more than 60000 numbers of many digits, or it comes in thousands of tiny chunks.',
            extensions: { code: 'BAD_REQUEST' },
          },
        ],
      });
    },
  );
});

test('commas in a text are no items, and neither are those after a quote in it', async () => {
  await using upstream = await startUpstream({ 'POST /v1/messages': wireMessage('m1') });
  await using gateway = await startTestGateway(upstream.url);

  const { answer } = await send(gateway, '1', `\\"${','.repeat(700_000)}\\\\`);

  expect(answer).toEqual({ data: { sendMessage: { message: { id: 'm1' } } } });
});

test('a long body of more than 1,000 levels is refused before it is read', async () => {
  await using gateway = await startTestGateway(NOWHERE);
  const ask = async (levels: number) => {
    const nested = `${'['.repeat(levels)}"${'['.repeat(10_000)}"${']'.repeat(levels)}`;
    const unused = `{"query":"{ __typename }","variables":{"unused":[${nested},{},[]]}}`;
    const response = await post(gateway.url, unused);
    return { status: response.status, answer: await response.json() };
  };

  expect(await ask(997)).toEqual({
    status: 200,
    answer: { data: { __typename: 'Query' } },
  });
  expect(await ask(998)).toEqual({
    status: 400,
    answer: {
      errors: [
        {
          message:
            'The request could not be read: the body must be JSON in UTF-8, of at most 1000 levels.',
          extensions: { code: 'BAD_REQUEST' },
        },
      ],
    },
  });
});
