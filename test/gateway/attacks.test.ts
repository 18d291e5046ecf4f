import { expect, test } from 'vitest';
import { codes, startTestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const toNodeId = (id: string): string =>
  Buffer.from(`Message:${id}`).toString('base64url');

test('the id in a forged nodeId stays one segment of the path, or is refused', async () => {
  await using upstream = await startUpstream(() => ({ body: wireMessage('m1') }));
  await using gateway = await startTestGateway(upstream.url);
  const ids = ['../../admin', 'a?limit=1#', '..', '\r\nX-Evil: 1'].map(toNodeId);

  const answer = await gateway.ask(
    'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { ... on Message { message } } }',
    { variables: { ids } },
  );

  expect(codes(answer)).toEqual({
    'nodes.2': 'BAD_USER_INPUT',
    'nodes.3': 'BAD_USER_INPUT',
  });
  expect(upstream.lines().sort()).toEqual([
    'GET /v1/messages/..%2F..%2Fadmin',
    'GET /v1/messages/a%3Flimit%3D1%23',
  ]);
});

test('text that looks like a header, a parameter or a request stays one form field', async () => {
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

  expect(upstream.lines()).toEqual(['POST /v1/messages']);
  expect(Object.fromEntries(new URLSearchParams(upstream.calls[0]?.form))).toEqual({
    conversation_id: 'c1',
    message: text,
  });
});

test('keys such as __proto__ in a request do not change Object.prototype', async () => {
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
