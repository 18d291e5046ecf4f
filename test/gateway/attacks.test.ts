import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const nodeId = (text: string): string => Buffer.from(text).toString('base64url');

test('a nodeId somebody made up stays one segment of the path', async () => {
  await using upstream = await startUpstream(({ line }) => ({
    body: line.startsWith('GET /v1/messages/') ? wireMessage('m1') : '',
  }));
  await using gateway = await startTestGateway(upstream.url);

  const { errors } = await gateway.ask(
    'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { ... on Message { message } } }',
    {
      variables: {
        ids: ['../../admin', 'a?limit=1#', '..', '\r\nX-Evil: 1'].map((id) =>
          nodeId(`Message:${id}`),
        ),
      },
    },
  );

  expect(errors?.map(({ path, extensions }) => [path?.at(1), extensions.code])).toEqual([
    [2, 'BAD_USER_INPUT'],
    [3, 'BAD_USER_INPUT'],
  ]);
  expect(upstream.lines().sort()).toEqual([
    'GET /v1/messages/..%2F..%2Fadmin',
    'GET /v1/messages/a%3Flimit%3D1%23',
  ]);
});

test('no text becomes a header, a parameter or a field of its own', async () => {
  await using upstream = await startUpstream(() => ({ body: wireMessage('m1') }));
  await using gateway = await startTestGateway(upstream.url);
  const text =
    'hi&conversation_id=other\r\n\r\nDELETE /v1/messages/m2 HTTP/1.1\r\nX-Evil: 1';

  await gateway.ask(
    `mutation ($text: String!) {
      sendMessage(input: { conversationId: "c1", message: $text }) { message { id } }
    }`,
    { variables: { text } },
  );

  const [call, ...more] = upstream.calls;
  expect(more).toEqual([]);
  expect(call?.line).toBe('POST /v1/messages');
  expect(Object.fromEntries(new URLSearchParams(call?.form))).toEqual({
    conversation_id: 'c1',
    message: text,
  });
});

test('no key of a request reaches the objects that all others inherit from', async () => {
  await using gateway = await startTestGateway('http://127.0.0.1:1');

  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{
      "query": "{ __typename }",
      "variables": { "__proto__": { "polluted": 1 }, "constructor": { "prototype": { "polluted": 1 } } },
      "extensions": { "__proto__": { "polluted": 1 } },
      "__proto__": { "polluted": 1 }
    }`,
  });

  expect(response.status).toBe(200);
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect({}).not.toHaveProperty('polluted');
});
