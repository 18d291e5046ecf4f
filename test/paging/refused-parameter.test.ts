import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { numbered } from '../support/pager.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

const MANY = numbered(350);

describe('a parameter that is refused after it was learned', () => {
  const CALLERS = { ann: 'offset', bob: 'starting_after' } as const;

  test.each([
    ['forward', false],
    ['backward', true],
  ])(
    'is not taken for a refused `limit`: %s, callers whom the service answers differently read whole pages',
    async (_way, backward) => {
      await using upstream = await startUpstream(({ line, token }) => {
        const { searchParams } = new URL(line.slice('GET '.length), 'http://service');
        const own = CALLERS[token === 'Bearer ann' ? 'ann' : 'bob'];
        const names = [...searchParams.keys()].slice(2);
        if (names.some((name) => name !== own)) return { status: 422, body: 'unknown' };
        const value = searchParams.get(own);
        const from = own === 'offset' ? Number(value) : MANY.indexOf(value ?? '') + 1;
        const to = from + Number(searchParams.get('limit'));
        const items = MANY.slice(from, to).map((id) => wireMessage(id));
        return { body: wirePage(items, to < MANY.length) };
      });
      await using gateway = await startTestGateway(upstream.url);
      const seen: string[] = [];
      let args = backward ? 'last: 40' : 'first: 40';
      for (let turn = 0; turn < 9; turn += 1) {
        const { data, errors } = await gateway.ask(
          `{ messages(conversationId: "c1", ${args}) { nodes { id } pageInfo { startCursor endCursor } } }`,
          { token: turn % 2 === 0 ? 'ann' : 'bob' },
        );
        expect(errors).toBeUndefined();
        const { nodes, pageInfo } = data.messages;
        const ids = nodes.map(({ id }: { id: string }) => id);
        seen.splice(backward ? 0 : seen.length, 0, ...ids);
        args = backward
          ? `last: 40, before: "${pageInfo.startCursor}"`
          : `first: 40, after: "${pageInfo.endCursor}"`;
      }

      expect(seen).toEqual(MANY);
    },
  );
});
