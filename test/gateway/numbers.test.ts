import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { NOWHERE, post } from '../support/http.ts';
import { rawNumber } from '../support/raw-json.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage, wirePage } from '../support/wire.ts';
import { sendOperation } from '../support/write.ts';

/** Numbers that a double, or JavaScript's way to write one, would change. */
const NUMBERS = [
  '9007199254740993',
  '-12345678901234567890',
  '1'.repeat(400),
  '0.1000000000000000055511151231257827',
  '12.3456789012345678901234567890',
  '1e-400',
  '-2.5E-4000',
  '1.0',
  '12.50',
  '0.00000010',
  '-0',
  '-0.0',
  '1E5',
  '1e5',
  '7',
  '-1.5',
];
const LIST = `[{"n":[${NUMBERS}],"lists":[[${NUMBERS.join('],[')}]]},${NUMBERS}]`;

/** A message with attachments exactly as they are written here. */
const withAttachments = (id: string, attachments: string): string =>
  JSON.stringify(wireMessage(id, { attachments: ['@'] })).replace('["@"]', attachments);

async function readText(url: string, query: string): Promise<string> {
  const response = await post(url, { query }, { authorization: 'Bearer ann-token' });
  return response.text();
}

describe('numbers in the attachments of a message', () => {
  test('come out as the service wrote them', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': withAttachments('m1', LIST),
      'GET /v1/messages': JSON.stringify(wirePage(['@'])).replace(
        '"@"',
        withAttachments('m2', LIST),
      ),
    });
    await using gateway = await startTestGateway(upstream.url);

    const one = await readText(gateway.url, '{ message(id: "m1") { attachments } }');
    const all = await readText(gateway.url, '{ messages { nodes { attachments } } }');

    expect(one).toBe(`{"data":{"message":{"attachments":${LIST}}}}\n`);
    expect(all).toBe(`{"data":{"messages":{"nodes":[{"attachments":${LIST}}]}}}\n`);
  });

  test('come out exactly beside any strings, and leave other fields as they are', async () => {
    const attachments = String.raw`["\\\", 1e5, \\",{"1e5":[1e-400,"1e5"],"a\"":" : 1.0 "},"x\\\\",1.0]`;
    const body = withAttachments('m1', attachments).replace('1700000000', '1.7e9');
    await using upstream = await startUpstream({ 'GET /v1/messages/m1': body });
    await using gateway = await startTestGateway(upstream.url);

    const text = await readText(
      gateway.url,
      '{ message(id: "m1") { attachments createdAt } }',
    );

    expect(text).toBe(
      `{"data":{"message":{"attachments":${attachments},"createdAt":1700000000}}}\n`,
    );
  });

  test('are refused if an exponent makes them larger than any number', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': withAttachments('m1', '[{"n":1e-400},{"n":[1E+400]}]'),
    });
    await using gateway = await startTestGateway(upstream.url);

    const { errors } = await gateway.ask('{ message(id: "m1") { attachments } }');

    expect(errors?.[0]?.extensions.code).toBe('UPSTREAM_INVALID_RESPONSE');
  });
});

describe('numbers in the variables of an operation', () => {
  const SEND = `mutation ($list: [JSON!]!) {
    sendMessage(input: { conversationId: "c1", message: "m", attachments: $list }) { message { id } }
  }`;
  const SEND_INPUT = `mutation ($input: SendMessageInput!) {
    sendMessage(input: $input) { message { id } }
  }`;
  const IN_LITERAL = `mutation ($n: JSON!) {
    sendMessage(input: { conversationId: "c1", message: "m", attachments: [{ n: $n }] }) { message { id } }
  }`;

  test.each([
    ['9007199254740993'],
    ['-12345678901234567890'],
    ['1'.repeat(400)],
    ['0.1000000000000000055511151231257827'],
    ['1e-400'],
    ['1e400'],
  ])('travel in forms as they are: %s', async (text) => {
    const n = rawNumber(text);
    const input = { conversationId: 'c1', message: 'm', attachments: [{ n }, n] };

    const inList = await sendOperation(SEND, { list: [{ n }, n] });
    const inInput = await sendOperation(SEND_INPUT, { input });
    const inLiteral = await sendOperation(IN_LITERAL, { n });

    const form = 'conversation_id=c1&message=m&attachments[0][n]=';
    expect(inList.decoded).toBe(`${form}${text}&attachments[1]=${text}`);
    expect(inInput.decoded).toBe(`${form}${text}&attachments[1]=${text}`);
    expect(inLiteral.decoded).toBe(`${form}${text}`);
  });

  test.each([
    ['1e1', 200],
    ['10.0', 200],
    ['1e-400', 400],
    ['9007199254740993', 400],
  ])('are an Int only if their value is one: %s', async (text, status) => {
    await using upstream = await startUpstream(() => ({ body: wirePage([]) }));
    await using gateway = await startTestGateway(upstream.url);

    const answer = await gateway.ask(
      'query ($n: Int) { messages(first: $n) { nodes { id } } }',
      { variables: { n: rawNumber(text) } },
    );

    expect(answer.status).toBe(status);
  });

  test.each([
    ['{"query":"{ __typename }","variables":1e999}', 400],
    ['{"query":1e999,"variables":{"a":1e999}}', 400],
    ['{"query":"{ __typename }","operationName":1e999,"variables":{"a":1e999}}', 400],
    ['{"query":"{ __typename }","extensions":{"a":1e999},"variables":{"a":1e999}}', 200],
  ])('change nothing beside them: %s', async (body, status) => {
    await using gateway = await startTestGateway(NOWHERE);

    expect((await post(gateway.url, body)).status).toBe(status);
  });
});
