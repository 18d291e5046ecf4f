import { expect } from 'vitest';
import { codes, reads, startTestGateway } from '../support/gateway.ts';
import { subscribe } from '../support/subscribe.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';
import {
  expectSuccess,
  LONGEST,
  mutate,
  type OpenPoints,
  type PointAnswer,
  send,
  TOKEN,
  type Tools,
} from './tools.ts';

async function newestMessage({ ask }: Tools): Promise<string> {
  const { data } = await ask(
    `{ messages(conversationId: "${LONGEST}", first: 1) { nodes { id } } }`,
  );
  return data.messages.nodes[0].id;
}

/** Reads a message from a service with this base path. Returns the one call that arrives there. */
async function callOf(basePath: string, token = 'token') {
  await using upstream = await startUpstream(() => ({ body: wireMessage('m1') }));
  await using gateway = await startTestGateway(upstream.url + basePath);
  await expectSuccess(gateway.ask('{ message(id: "m1") { id } }', { token }));
  expect(upstream.calls).toHaveLength(1);
  return upstream.calls[0];
}

/** A read and a delete of an unknown id, and invalid input, get their codes whatever the body of the error is. */
async function expectCodes(
  tools: Tools,
  unknownId: null | 'BAD_USER_INPUT',
): Promise<void> {
  const read = await tools.ask('{ message(id: "nobody") { id } }');
  expect(read.data).toEqual({ message: null });
  expect(codes(read)).toEqual(unknownId === null ? {} : { message: unknownId });
  const deleted = await mutate(tools, 'deleteMessage', { id: 'nobody' });
  expect(codes(deleted)).toEqual({ deleteMessage: unknownId ?? 'NOT_FOUND' });
  const sent = await send(tools, { message: '' });
  expect(codes(sent)).toEqual({ sendMessage: 'BAD_USER_INPUT' });
}

/** The open points of the service as a whole: tokens, events, errors, rate limits and versions. */
export const SERVICE: OpenPoints = {
  '13 tokens': ['a', 'eyJhbGciOi.J9.x-_~+/=', '!"#$%&()*,:;<>?@[]^{|}'].map((token) => ({
    name: token,
    async check() {
      expect((await callOf('', token))?.token).toBe(`Bearer ${token}`);
    },
  })),
  '14 events': [
    {
      name: 'none: the next read shows changes made elsewhere',
      async check(tools) {
        const before = await newestMessage(tools);
        await fetch(`${tools.url}/v1/messages/${before}`, {
          method: 'DELETE',
          headers: { authorization: `Bearer ${TOKEN}` },
        });
        expect(await newestMessage(tools)).not.toBe(before);
      },
    },
    {
      name: 'none: a subscription learns of changes made elsewhere by looking',
      settings: { LIVE_POLL_MS: '100' },
      async check(tools) {
        const newest = await newestMessage(tools);
        const query = `subscription { messageChanged(conversationId: "${LONGEST}") { kind messageId } }`;
        await using live = await subscribe(tools.gatewayUrl, query, { token: TOKEN });
        await fetch(`${tools.url}/v1/messages/${newest}`, {
          method: 'DELETE',
          headers: { authorization: `Bearer ${TOKEN}` },
        });
        expect((await live.next())?.data).toEqual({
          messageChanged: { kind: 'DELETED', messageId: newest },
        });
      },
    },
  ],
  '15 error format': [
    ...(['json', 'problem', 'text', 'html', 'empty'] as const).map(
      (errorFormat): PointAnswer => ({
        name: errorFormat,
        knobs: { errorFormat },
        check: (tools) => expectCodes(tools, null),
      }),
    ),
    {
      name: 'unknown id as 410',
      knobs: { unknownId: 410 },
      check: (tools) => expectCodes(tools, null),
    },
    {
      name: 'unknown id as 400',
      knobs: { unknownId: 400 },
      check: (tools) => expectCodes(tools, 'BAD_USER_INPUT'),
    },
  ],
  '17 rate limits': (['none', 'seconds', 'date'] as const).map((retryAfter) => ({
    name: `Retry-After: ${retryAfter}`,
    knobs: { rateLimit: 2, retryAfter },
    async check({ ask }) {
      const { errors = [] } = await ask(reads(9, 'nobody'));
      expect(errors.length).toBeGreaterThanOrEqual(5);
      for (const { extensions } of errors) {
        expect(extensions.code).toBe('RATE_LIMITED');
        expect(extensions.retryAfterSeconds ?? null).toSatisfy((seconds) =>
          retryAfter === 'none' ? seconds === null : seconds >= 0 && seconds <= 2,
        );
      }
    },
  })),
  '19 version policy': ['', '/api/messaging'].map((prefix) => ({
    name: `${prefix}/v1`,
    async check() {
      expect((await callOf(`${prefix}/`))?.line).toBe(`GET ${prefix}/v1/messages/m1`);
    },
  })),
};
