import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const SHARED = 'conv_ada_grace';
const ADA = 'ada-sample-token';
const GRACE = 'grace-sample-token';

const POLL = readFileSync('examples/new-messages.graphql', 'utf8');

/** Grace, who asks for new messages as docs/clients.md says. */
async function startAsking(gateway: TestGateway) {
  const first = await gateway.ask(
    `{ messages(conversationId: "${SHARED}", first: 5, order: NEWEST_FIRST) { pageInfo { startCursor } } }`,
    { token: GRACE },
  );
  let cursor: string = first.data.messages.pageInfo.startCursor;

  return async function askForNew(): Promise<string[]> {
    const found: string[] = [];
    for (let more = true; more; ) {
      const { data, errors } = await gateway.ask(POLL, {
        token: GRACE,
        variables: { conversationId: SHARED, count: 10, before: cursor },
      });
      expect(errors).toBeUndefined();
      const { edges, pageInfo } = data.messages;
      found.push(
        ...edges.map((edge: { node: { message: string } }) => edge.node.message),
      );
      cursor = pageInfo.startCursor ?? cursor;
      more = pageInfo.hasPreviousPage;
    }
    return found;
  };
}

test.each(['newest', 'oldest'] as const)(
  'grace finds each message of ada once, and no other, in a list with the %s first',
  async (order) => {
    const calls: string[] = [];
    await using service = await startEmbeddedService({
      answers: { order },
      onCall: ({ method }) => calls.push(method),
    });
    await using gateway = await startTestGateway(service.url);
    const askForNew = await startAsking(gateway);
    const send = async (message: string) => {
      const { errors } = await gateway.ask(
        `mutation { sendMessage(input: { conversationId: "${SHARED}", message: "${message}" }) { message { id } } }`,
        { token: ADA },
      );
      expect(errors).toBeUndefined();
    };

    // The first page behind a cursor also learns how the service pages.
    expect(await askForNew()).toEqual([]);
    calls.length = 0;
    expect(await askForNew()).toEqual([]);
    expect(calls).toEqual(['GET']);
    await send('one');
    expect(await askForNew()).toEqual(['one']);
    expect(await askForNew()).toEqual([]);
    const many = Array.from({ length: 25 }, (_value, index) => `many ${index}`);
    for (const message of many) await send(message);
    expect((await askForNew()).toSorted()).toEqual(many.toSorted());
    expect(await askForNew()).toEqual([]);
  },
);

test.each([
  ['limit', 4],
  ['starting_after', 7],
  ['offset', 7],
  ['page', 7],
] as const)(
  'the end of 640 messages, the oldest first, costs with PAGING=%s as many calls as the docs say: %i',
  async (paging, count) => {
    const answers = paging === 'limit' ? {} : { paging };
    await using service = await startEmbeddedService({
      answers: { order: 'oldest', ...answers },
    });
    await using gateway = await startTestGateway(service.url, { PAGING: paging });

    const ask = () =>
      gateway.ask(
        '{ messages(conversationId: "conv_lisbon_trip", first: 20, order: NEWEST_FIRST) { nodes { id } } }',
        { token: ADA, extensions: { cost: true } },
      );

    // The first call shows that the newest are not at the head.
    expect((await ask()).extensions.cost.actual).toBe(count + 1);
    expect((await ask()).extensions.cost.actual).toBe(count);
    const [, byLimit, byOthers] =
      /(\d+) calls with `PAGING=limit` and (\d+) with the other/.exec(
        readFileSync('docs/paging.md', 'utf8'),
      ) ?? [];
    expect(count).toBe(Number(paging === 'limit' ? byLimit : byOthers));
  },
);
