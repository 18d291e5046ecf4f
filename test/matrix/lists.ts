import { expect } from 'vitest';
import { LONGEST, type OpenPoints, type PointAnswer, type Tools } from './tools.ts';

const LENGTH = 640;
const PAGINGS = ['none', 'starting_after', 'offset', 'page'] as const;
/** Reads the longest conversation page by page: every message comes once. Throws the code of a failed page. */
async function walkAll({ ask }: Tools): Promise<void> {
  const seen: string[] = [];
  for (let after: string | null = null; ; ) {
    const { data, errors } = await ask(
      'query ($id: ID!, $after: String) { messages(conversationId: $id, first: 80, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }',
      { id: LONGEST, after },
    );
    if (errors) throw new Error(errors[0]?.extensions.code);
    seen.push(...data.messages.nodes.map(({ id }: { id: string }) => id));
    if (!data.messages.pageInfo.hasNextPage) break;
    after = data.messages.pageInfo.endCursor;
  }
  expect(new Set(seen).size).toBe(LENGTH);
  expect(seen).toHaveLength(LENGTH);
}

/** The open points of lists: paging, order and the maximum of `limit`. test/paging has all of them with the settings, too. */
export const LISTS: OpenPoints = {
  '8 parameter of the next page': PAGINGS.flatMap((paging): PointAnswer[] => [
    { name: paging, knobs: { paging }, check: walkAll },
    { name: `${paging}, renamed`, knobs: { paging, pagingParam: 'von' }, check: walkAll },
  ]),
  '9 order of lists': (['newest', 'oldest', 'id'] as const).flatMap((order) =>
    PAGINGS.map((paging) => ({
      name: `${order}, ${paging}`,
      knobs: { order, paging },
      check: walkAll,
    })),
  ),
  '16 maximum limit': [
    { name: 'none', check: walkAll },
    ...(['cap', 400, 422] as const).flatMap((aboveMaxLimit): PointAnswer[] => [
      ...(['starting_after', 'offset', 'page'] as const).map((paging) => ({
        name: `${aboveMaxLimit} above 50, ${paging}`,
        knobs: { maxLimit: 50, aboveMaxLimit, paging },
        check: walkAll,
      })),
      {
        name: `${aboveMaxLimit} above 50, limit alone`,
        knobs: { maxLimit: 50, aboveMaxLimit },
        check: async (tools) =>
          expect(walkAll(tools)).rejects.toThrow(/PAGE_OUT_OF_REACH/),
      },
    ]),
  ],
};
