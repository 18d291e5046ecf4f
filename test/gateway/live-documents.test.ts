import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { openSocket } from '../support/socket.ts';
import { subscribe } from '../support/subscribe.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

describe('a subscription whose root field depends on @skip or @include is refused', () => {
  const ROOT = 'messageChanged(conversationId: "c1")';
  const documents = [
    ['a variable', `($a: Boolean!) { ${ROOT} @skip(if: $a) { kind } }`],
    [
      'a variable that chooses between two',
      `($a: Boolean!) { ${ROOT} @skip(if: $a) { kind } conversationChanged @include(if: $a) { kind } }`,
    ],
    ['a literal', `{ ${ROOT} @include(if: true) { kind } }`],
    ['no argument', `{ ${ROOT} @skip { kind } }`],
    [
      'an inline fragment',
      `($a: Boolean!) { ... @include(if: $a) { ${ROOT} { kind } } }`,
    ],
    [
      'a spread',
      `($a: Boolean!) { ...F @skip(if: $a) } fragment F on Subscription { ${ROOT} { kind } }`,
    ],
    [
      'a field of a fragment',
      `($a: Boolean!) { ...F } fragment F on Subscription { ${ROOT} @skip(if: $a) { kind } }`,
    ],
  ] as const;

  test.each(documents)('%s', async (_name, document) => {
    await using upstream = await startUpstream({});
    await using gateway = await startTestGateway(upstream.url);
    const query = `subscription ${document}`;
    const variables = { a: false };

    const { status, errors } = await gateway.ask(query, { variables });
    using socket = await openSocket(gateway.url);
    socket.subscribe('1', query, variables);
    const refused = await socket.next();

    expect(status).toBe(400);
    expect(errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(errors?.[0]?.message).toMatch(/@skip or @include/);
    expect(refused).toMatchObject({ type: 'error', payload: errors });
    expect(upstream.calls).toEqual([]);
  });

  test('but below the root field they decide about each event', async () => {
    let sent = 0;
    await using upstream = await startUpstream(({ line }) => {
      if (line.startsWith('POST')) sent = 1;
      const ids = sent === 0 ? ['m0'] : ['m1', 'm0'];
      return {
        body: line.startsWith('POST')
          ? wireMessage('m1')
          : wirePage(ids.map((id) => wireMessage(id))),
      };
    });
    await using gateway = await startTestGateway(upstream.url);
    const query = `subscription ($a: Boolean!) { ${ROOT} { messageId @skip(if: $a) kind @include(if: $a) } }`;
    await using live = await subscribe(gateway.url, query, { variables: { a: true } });

    await gateway.ask(
      'mutation { sendMessage(input: { conversationId: "c1", message: "m" }) { message { id } } }',
    );

    expect((await live.next())?.data).toEqual({ messageChanged: { kind: 'CREATED' } });
  });
});

test.each([
  ['Text/Event-Stream', 'text/event-stream; charset=utf-8'],
  [
    'Multipart/Mixed;SubscriptionSpec=1.0',
    'multipart/mixed; boundary="graphql"; subscriptionSpec="1.0"',
  ],
])('a media type is read in any case: %s', async (accept, type) => {
  await using upstream = await startUpstream(() => ({
    body: wirePage([wireMessage('m0')]),
  }));
  await using gateway = await startTestGateway(upstream.url);
  const query = 'subscription { messageChanged(conversationId: "c1") { kind } }';
  await using live = await subscribe(gateway.url, query, { headers: { accept } });

  expect(live.status).toBe(200);
  expect(live.headers.get('content-type')).toBe(type);
});
