import { describe, expect, test } from 'vitest';
import type { Answers } from '../../src/embedded/answers.ts';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { startTestGateway } from '../support/gateway.ts';

const TOKEN = 'ada-sample-token';
const LONG = 'conv_lisbon_trip';
const SIZE = 40;
const CAP = 50;

const STYLES = ['none', 'starting_after', 'offset', 'page'] as const;
const ORDERS = ['newest', 'oldest', 'id'] as const;
const CAPS: Partial<Answers>[] = [
  { maxLimit: CAP, aboveMaxLimit: 'cap' },
  { maxLimit: CAP, aboveMaxLimit: 400 },
  { maxLimit: CAP, aboveMaxLimit: 422 },
];
/** Each order without a cap, and each cap with one order. */
const SERVICES: (Partial<Answers> & Pick<Answers, 'order'>)[] = [
  ...ORDERS.map((order) => ({ order })),
  ...CAPS.map((cap) => ({ order: 'newest' as const, ...cap })),
];
const GRID = STYLES.flatMap((paging) =>
  SERVICES.flatMap((service) =>
    [false, true].map((isLearned) => ({ isLearned, paging, ...service })),
  ),
);

const inOrder = new Map<Answers['order'], Promise<string[]>>();

/** The ids of the conversation in the service's order. */
function idsInOrder(order: Answers['order']): Promise<string[]> {
  const ids = inOrder.get(order) ?? readIds(order);
  inOrder.set(order, ids);
  return ids;
}

async function readIds(order: Answers['order']): Promise<string[]> {
  await using service = await startEmbeddedService({ answers: { order } });
  const response = await fetch(
    `${service.url}/v1/messages?conversation_id=${LONG}&limit=1000`,
    {
      headers: { authorization: `Bearer ${TOKEN}` },
    },
  );
  const { data } = (await response.json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

describe.each(GRID)('from a service with %j', ({ isLearned, paging, ...answers }) => {
  test.each([['forward'], ['backward']])(
    'a walk %s returns all 640 messages',
    async (direction) => {
      await using service = await startEmbeddedService({
        answers: { paging, ...answers },
      });
      const settings = {
        PAGING: paging === 'none' ? 'limit' : paging,
        ...(answers.maxLimit ? { MAX_LIMIT: String(answers.maxLimit) } : {}),
      };
      await using gateway = await startTestGateway(
        service.url,
        // What learning takes comes on top of the calls that the end of the list needs.
        isLearned ? { MAX_CALLS_PER_LIST: '30' } : settings,
      );
      const isForward = direction === 'forward';
      const seen: string[] = [];

      let args = isForward ? `first: ${SIZE}` : `last: ${SIZE}`;
      for (let turn = 0; turn < 100; turn += 1) {
        const { data, errors } = await gateway.ask(
          `{ messages(conversationId: "${LONG}", ${args}) {
          nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        } }`,
          { token: TOKEN },
        );
        if (errors) {
          // With `limit` alone, items beyond the cap cannot be read: an error says so.
          expect(errors[0]?.extensions.code).toBe('PAGE_OUT_OF_REACH');
          expect([paging, answers.maxLimit]).toEqual(['none', CAP]);
          return;
        }
        const { nodes, pageInfo } = data.messages;
        const ids = nodes.map(({ id }: { id: string }) => id);
        seen.splice(isForward ? seen.length : 0, 0, ...ids);
        if (!(isForward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) break;
        args = isForward
          ? `first: ${SIZE}, after: "${pageInfo.endCursor}"`
          : `last: ${SIZE}, before: "${pageInfo.startCursor}"`;
      }

      expect(seen).toEqual(await idsInOrder(answers.order));
    },
  );
});
