import { expect, test } from 'vitest';
import type { Answers } from '../../src/embedded/answers.ts';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { loadConfig, startGateway } from '../../src/gateway.ts';
import { probe } from '../../src/probe/probe.ts';
import { TOKEN } from './service.ts';

const LISBON = 'conv_lisbon_trip';
const MESSAGES_IN_LISBON = 640;
const QUERY = `query ($after: String, $before: String, $first: Int, $last: Int) {
  messages(conversationId: "${LISBON}", first: $first, after: $after, last: $last, before: $before) {
    nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;

interface Page {
  readonly nodes: readonly { readonly id: string }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string;
    readonly endCursor: string;
  };
}

/** Walks the conversation in pages of fifty, with the settings that the probe found. */
async function walk(
  settings: Readonly<Record<string, string>>,
  isForward: boolean,
): Promise<string[]> {
  await using gateway = await startGateway(
    loadConfig({ ...settings, PORT: '0', LOG_LEVEL: 'silent' }),
  );
  let ids: string[] = [];
  let cursor: string | null = null;
  for (;;) {
    const variables: Record<string, unknown> = isForward
      ? { first: 50, after: cursor }
      : { last: 50, before: cursor };
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ query: QUERY, variables }),
    });
    const { data, errors } = (await response.json()) as {
      data: { messages: Page };
      errors?: readonly { message: string }[];
    };
    if (errors !== undefined) throw new Error(errors[0]?.message);
    const { nodes, pageInfo } = data.messages;
    const page = nodes.map(({ id }) => id);
    ids = isForward ? [...ids, ...page] : [...page, ...ids];
    if (!(isForward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) return ids;
    cursor = isForward ? pageInfo.endCursor : pageInfo.startCursor;
  }
}

/** All ids of the conversation, in the service's order. */
async function listAll(answers: Partial<Answers>): Promise<string[]> {
  await using service = await startEmbeddedService({
    answers: { ...answers, maxLimit: null },
  });
  const response = await fetch(
    `${service.url}/v1/messages?conversation_id=${LISBON}&limit=${MESSAGES_IN_LISBON}`,
    { headers: { authorization: `Bearer ${TOKEN}` } },
  );
  const { data } = (await response.json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

const CAPS: readonly Partial<Answers>[] = [
  {},
  { maxLimit: 50 },
  { maxLimit: 60, aboveMaxLimit: 400 },
  { maxLimit: 25, aboveMaxLimit: 422 },
];

const STYLES: readonly Partial<Answers>[] = [
  { paging: 'starting_after' },
  { paging: 'starting_after', pagingParam: 'after', pagingBackParam: 'before' },
  { paging: 'starting_after', pagingParam: 'before', pagingBackParam: 'after' },
  { paging: 'offset' },
  { paging: 'offset', pagingParam: 'skip' },
  { paging: 'page' },
  { paging: 'page', pagingParam: 'p' },
];

const PAGED: readonly Partial<Answers>[] = [
  { order: 'newest' },
  ...STYLES.flatMap((style) => CAPS.map((cap) => ({ ...style, ...cap }))).map(
    (answers, index) => ({
      ...answers,
      order: (['oldest', 'id', 'newest'] as const)[index % 3] ?? 'newest',
      unknownCursor: ([400, 'first', 404, 'empty'] as const)[(index >> 1) % 4] ?? 400,
    }),
  ),
];

test.each(PAGED)(
  'the gateway walks a whole list with the settings found for %j',
  async (answers) => {
    const expected = await listAll(answers);
    await using service = await startEmbeddedService({ answers });
    const { settings } = await probe({ url: service.url, token: TOKEN });

    expect(await walk(settings, true)).toEqual(expected);
  },
);

test.each([
  {},
  { paging: 'starting_after', pagingParam: 'after', pagingBackParam: 'before' },
  { paging: 'offset', pagingParam: 'start', maxLimit: 40 },
  { paging: 'page', maxLimit: 100 },
] as const)(
  'the gateway walks a whole list backward with the settings found for %j',
  async (answers) => {
    const expected = await listAll(answers);
    await using service = await startEmbeddedService({ answers });
    const { settings } = await probe({ url: service.url, token: TOKEN });

    expect(await walk(settings, false)).toEqual(expected);
  },
);
