import { describe, expect, test } from 'vitest';
import { codes, startTestGateway } from '../support/gateway.ts';
import { LONGEST, MESSAGES, nextAnswer, startLiveWorld } from '../support/live.ts';
import { subscribe } from '../support/subscribe.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

const PAGINGS = [
  ['limit', {}, {}],
  ['starting_after', { paging: 'starting_after' }, { PAGING: 'starting_after' }],
  ['offset', { paging: 'offset' }, { PAGING: 'offset' }],
  ['page', { paging: 'page' }, { PAGING: 'page' }],
] as const;

describe('the newest end is found', () => {
  const cases = PAGINGS.flatMap(([name, answers, env]) =>
    (['newest', 'oldest'] as const).flatMap((order) =>
      [undefined, 25].map((maxLimit) => ({ name, order, maxLimit, answers, env })),
    ),
  );

  test.each(cases)(
    'PAGING=$name, order: $order, maximum limit: $maxLimit',
    async ({ name, order, maxLimit, answers, env }) => {
      await using world = await startLiveWorld(
        { ...answers, order, maxLimit: maxLimit ?? null },
        { ...env, MAX_CALLS_PER_LIST: '60' },
      );
      // It has 640 messages: more than the window holds, and than the service gives at once.
      await using live = await world.subscribe(MESSAGES);
      if (order === 'oldest' && name === 'limit' && maxLimit !== undefined) {
        expect(codes(await nextAnswer(live))).toEqual({
          messageChanged: 'PAGE_OUT_OF_REACH',
        });
        expect(live.results[0]?.errors?.[0]?.message).toMatch(/PAGING/);
        return;
      }
      const sent: string[] = [];
      for (let count = 0; count < 3; count += 1) {
        const form = `conversation_id=${LONGEST}&message=m${count}`;
        sent.push(await world.elsewhere('POST', '/messages', form));
        expect((await live.next())?.data.messageChanged).toMatchObject({
          kind: 'CREATED',
          messageId: sent.at(-1),
        });
      }
      const [first] = sent;
      await world.elsewhere('DELETE', `/messages/${first}`);
      expect((await live.next())?.data.messageChanged).toMatchObject({
        kind: 'DELETED',
        messageId: first,
      });
    },
  );

  test.each(PAGINGS)(
    'PAGING=%s, in the order of ids: only where the whole list fits into the window',
    async (_name, answers, env) => {
      const byId = { ...answers, order: 'id' as const };
      await using short = await startLiveWorld(byId, env);
      await using refused = await short.subscribe(MESSAGES);
      expect((await nextAnswer(refused)).errors?.[0]?.message).toMatch(/MAX_PAGE_SIZE/);

      await using long = await startLiveWorld(byId, { ...env, MAX_PAGE_SIZE: '1000' });
      await using live = await long.subscribe(MESSAGES);
      const form = `conversation_id=${LONGEST}&message=m`;
      const messageId = await long.elsewhere('POST', '/messages', form);
      const { data } = await nextAnswer(live);
      expect(data.messageChanged).toMatchObject({ kind: 'CREATED', messageId });
    },
  );

  test('a list in no order of time is refused, with what to set, unless it fits into the window', async () => {
    const times = [5, 1, 4, 2, 8, 3, 9, 7, 6, 0];
    const page = wirePage(
      times.map((at) => wireMessage(`m${at}`, { created_at: at })),
      true,
    );
    await using upstream = await startUpstream(() => ({ body: page }));
    await using gateway = await startTestGateway(upstream.url, { MAX_PAGE_SIZE: '10' });
    await using live = await subscribe(gateway.url, MESSAGES);

    const refused = await nextAnswer(live);

    expect(codes(refused)).toEqual({ messageChanged: 'PAGE_OUT_OF_REACH' });
    expect(refused.errors?.[0]?.message).toMatch(/MAX_PAGE_SIZE/);
    expect(await live.ended).toBe('complete');
  });

  test('a long list with its newest end behind it is refused if each look would read it all', async () => {
    const all = Array.from({ length: 101 }, (_, at) =>
      wireMessage(`m${at}`, { created_at: at }),
    );
    await using upstream = await startUpstream(({ line }) => {
      const limit = Number(/limit=(\d+)/.exec(line)?.[1] ?? 10);
      return { body: wirePage(all.slice(0, limit), all.length > limit) };
    });
    await using gateway = await startTestGateway(upstream.url, { MAX_PAGE_SIZE: '10' });
    await using live = await subscribe(gateway.url, MESSAGES);

    expect((await nextAnswer(live)).errors?.[0]?.message).toMatch(/Set PAGING/);
  });
});
