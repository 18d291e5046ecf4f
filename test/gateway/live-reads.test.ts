import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { FAST, nextAnswer } from '../support/live.ts';
import { subscribe } from '../support/subscribe.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

const READ = '{ messages(conversationId: "c1", first: 5) { nodes { id } } }';
const WATCH = 'subscription { messageChanged(conversationId: "c1") { kind messageId } }';

/** A service that answers with what its list is when a call arrives, but reads of five messages only when it is allowed. */
async function startHeldService() {
  const ids = ['m0'];
  let mayAnswer = () => {};
  const allowed = new Promise<void>((resolve) => {
    mayAnswer = resolve;
  });
  let isHolding = true;
  const upstream = await startUpstream(async ({ line }) => {
    const body = wirePage(ids.map((id) => wireMessage(id)));
    const isHeld = isHolding && line.includes('limit=5');
    if (isHeld) await allowed;
    return { body };
  });
  return {
    upstream,
    /** Something is sent without the gateway. */
    arrive: (id: string) => ids.unshift(id),
    /** Reads that arrive from now on are answered at once. */
    holdNoMore: () => {
      isHolding = false;
    },
    answerHeld: mayAnswer,
    async [Symbol.asyncDispose]() {
      mayAnswer();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

const idsOf = ({ data }: { readonly data?: unknown }): string[] =>
  (data as { messages: { nodes: { id: string }[] } }).messages.nodes.map(({ id }) => id);

test('a list that is read when a subscription has begun shows all that the subscription does not tell', async () => {
  await using service = await startHeldService();
  const { upstream, arrive, holdNoMore, answerHeld } = service;
  await using gateway = await startTestGateway(upstream.url, { LIVE_POLL_MS: '600000' });
  const earlier = gateway.ask(READ);
  await expect.poll(() => upstream.calls.length).toBe(1);
  arrive('m1');
  holdNoMore();

  // It begins with m1, and so never tells of it.
  await using live = await subscribe(gateway.url, WATCH);
  const list = gateway.ask(READ);
  await expect.poll(() => upstream.calls.length).toBe(3);
  answerHeld();

  expect(idsOf(await earlier)).toEqual(['m0']);
  expect(idsOf(await list)).toEqual(['m1', 'm0']);
  expect(live.results).toEqual([]);
});

test('a list that is read after an event shows what the event said, also if it happened elsewhere', async () => {
  await using service = await startHeldService();
  const { upstream, arrive, holdNoMore, answerHeld } = service;
  await using gateway = await startTestGateway(upstream.url, FAST);
  await using live = await subscribe(gateway.url, WATCH);
  const earlier = gateway.ask(READ);
  const reads = () => upstream.lines().filter((line) => line.includes('limit=5')).length;
  await expect.poll(reads).toBe(1);
  arrive('m1');
  holdNoMore();

  expect((await nextAnswer(live)).data.messageChanged.messageId).toBe('m1');
  const list = gateway.ask(READ);
  await expect.poll(reads).toBe(2);
  answerHeld();

  expect(idsOf(await earlier)).toEqual(['m0']);
  expect(idsOf(await list)).toEqual(['m1', 'm0']);
});
