import { expect } from 'vitest';
import { LONGEST, type OpenPoints, type PointAnswer, type Tools } from './tools.ts';

const LENGTH = 640;
const PAGINGS = ['none', 'starting_after', 'offset', 'page'] as const;
const toSetting = (paging: string) => ({ PAGING: paging === 'none' ? 'limit' : paging });

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

/** The open points of lists: paging, order and the maximum of `limit`. */
export const LISTS: OpenPoints = {
  '8 parameter of the next page': PAGINGS.flatMap((paging): PointAnswer[] => {
    const settings = toSetting(paging);
    const asUsual = { name: paging, knobs: { paging }, settings, check: walkAll };
    const learned = { name: `${paging}, learned`, knobs: { paging }, check: walkAll };
    if (paging === 'none') return [asUsual, learned];
    const renamed = {
      name: `${paging}, renamed`,
      knobs: { paging, pagingParam: 'von' },
      settings: { ...settings, PAGING_PARAM: 'von' },
      check: walkAll,
    };
    const unset = {
      name: `${paging}, renamed, not set`,
      knobs: { paging, pagingParam: 'von' },
      check: walkAll,
    };
    return [asUsual, learned, renamed, unset];
  }),
  '9 order of lists': (['newest', 'oldest', 'id'] as const).flatMap((order) =>
    PAGINGS.flatMap((paging) => [
      {
        name: `${order}, ${paging}`,
        knobs: { order, paging },
        settings: toSetting(paging),
        check: walkAll,
      },
      { name: `${order}, ${paging}, learned`, knobs: { order, paging }, check: walkAll },
    ]),
  ),
  '16 maximum limit': [
    { name: 'none', check: walkAll },
    ...(['cap', 400, 422] as const).flatMap((aboveMaxLimit): PointAnswer[] => [
      {
        name: `${aboveMaxLimit} above 50, starting_after`,
        knobs: { maxLimit: 50, aboveMaxLimit, paging: 'starting_after' },
        settings: { PAGING: 'starting_after' },
        check: walkAll,
      },
      {
        name: `${aboveMaxLimit} above 50, known, offset`,
        knobs: { maxLimit: 50, aboveMaxLimit, paging: 'offset' },
        settings: { PAGING: 'offset', MAX_LIMIT: '50' },
        check: walkAll,
      },
      ...(['starting_after', 'offset', 'page'] as const).map((paging) => ({
        name: `${aboveMaxLimit} above 50, ${paging}, learned`,
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
