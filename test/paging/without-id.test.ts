import { describe, expect, test } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import { LEARNING, STYLES, type Style, startPager } from '../support/pager.ts';

/** Malformed items have no id. They keep their place between the others. */
const ALL: readonly Style[] = [
  ...STYLES,
  {
    name: 'starting_after, and an item repeated by each page',
    service: { after: 'starting_after', before: 'ending_before', unknown: 'first' },
    settings: { PAGING: 'starting_after', PAGING_UNKNOWN_ID: 'first' },
  },
  ...LEARNING.filter(({ service }) => service.strict !== true),
];
const LISTS = [
  ['one now and then', 'ab!defghij!lmnopqr!tuvwxyz'],
  ['two in a row', 'abcdefghijkl!!opqrstuv!!yz'],
  ['every other one', 'a!c!e!g!i!k!m!o!q!s!u!w!y'],
  ['the first and the last', '!bcdefghijklmnopqrstuvwxy!'],
] as const;

interface Options {
  readonly size: number;
  readonly backward: boolean;
}

/** The ids of a whole walk as a text, `!` where an item is malformed. */
async function read(gateway: TestGateway, { size, backward }: Options): Promise<string> {
  let text = '';
  let args = backward ? `last: ${size}` : `first: ${size}`;
  for (let turn = 0; turn < 100; turn += 1) {
    const { data, errors } = await gateway.ask(
      `{ messages(conversationId: "c1" ${args}) {
        nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      } }`,
    );
    // The other errors are those of malformed items.
    expect(data.messages, errors?.[0]?.message).not.toBeNull();
    const { nodes, pageInfo } = data.messages;
    const page = nodes.map((node: { id: string } | null) => node?.id ?? '!').join('');
    text = backward ? page + text : text + page;
    if (!(backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) return text;
    args = backward
      ? `last: ${size}, before: "${pageInfo.startCursor}"`
      : `first: ${size}, after: "${pageInfo.endCursor}"`;
  }
  throw new Error('the walk does not end');
}

describe.each(ALL)('with $name', (style) => {
  test.each(
    LISTS.flatMap(([what, letters]) =>
      [1, 3].flatMap((size) =>
        [false, true].map((backward) => ({ what, letters, size, backward })),
      ),
    ),
  )(
    'items without an id are neither lost nor repeated: $what, pages of $size (backward: $backward)',
    async ({ letters, ...options }) => {
      const list = Array.from(letters, (letter, index) =>
        letter === '!' ? `!${index}` : letter,
      );
      await using pager = await startPager(list, style);

      // The second walk uses what the first one has learned from the beginning.
      for (let turn = 0; turn < 2; turn += 1)
        expect(await read(pager.gateway, options)).toBe(letters);
    },
  );
});
