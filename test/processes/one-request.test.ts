import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, test, vi } from 'vitest';
import { type AskOptions, repeat, startTestGateway } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { NOWHERE } from '../support/http.ts';
import { MARGIN } from '../support/measured.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

/** Each of these requests blocked the gateway for longer than this, or made it gain more. The clients run in it too. */
const BLOCKED_MS = MARGIN * 500;
const GAINED_BYTES = MARGIN * 100_000_000;

/** Base64url of "Message:xx...", so it looks like a `nodeId`. */
const TOO_LONG_ID = Buffer.from(`Message:${'x'.repeat(450_001)}`).toString('base64url');

/** Enough for the gateway, but not for 200 keys that hold a text of half a megabyte. */
const SMALL_HEAP = ['--max-old-space-size=128'];

/** A service that has every object, and a hundred in each list. */
const startFullService = (toMessage: (id: string) => unknown = wireMessage) =>
  startUpstream(({ line }) => {
    const [, path = ''] = line.split(' ');
    const make = path.includes('messages') ? toMessage : wireConversation;
    if (!/(messages|conversations)(\?|$)/.test(path)) return { body: make('x1') };
    return { body: wirePage(Array.from({ length: 100 }, (_, i) => make(`x${i}`))) };
  });

/** Sends one operation, and measures how long it blocks this process and how much memory it takes. */
async function measure(messagingUrl: string, query: string, options: AskOptions = {}) {
  await using gateway = await startTestGateway(messagingUrl);
  const delay = monitorEventLoopDelay({ resolution: 10 });
  const before = process.memoryUsage().rss;
  delay.enable();
  const answer = await gateway.ask(query, {
    ...options,
    headers: { accept: 'application/graphql-response+json' },
  });
  delay.disable();
  expect(delay.max / 1e6).toBeLessThan(BLOCKED_MS);
  expect(process.memoryUsage().rss - before).toBeLessThan(GAINED_BYTES);
  const codes = new Set(answer.errors?.map(({ extensions }) => extensions.code));
  return { ...answer, codes: [...codes] };
}

/** Sends an operation without a token to a gateway that makes no call. */
const measureAnonymous = (query: string, variables: Record<string, unknown> = {}) =>
  measure(NOWHERE, query, { token: null, variables });

describe('ids', () => {
  // security: many-ids, many-representations
  test.each([
    ['in lists', '[ID!]!', 'nodes(nodeIds: $them) { nodeId }', 'junk'],
    [
      'in representations',
      '[_Any!]!',
      '_entities(representations: $them) { __typename }',
      { __typename: 'Message', id: 'm1' },
    ],
  ])(
    'are counted, and only the first are read: 5,000 under 800 aliases, %s',
    async (_, type, field, item) => {
      const { status, errors } = await measureAnonymous(
        `query ($them: ${type}) { ${repeat(800, (i) => `a${i}: ${field}`)} }`,
        { them: Array(5000).fill(item) },
      );

      expect(status).toBe(400);
      const [error] = errors ?? [];
      expect(error?.extensions.code).toBe('OPERATION_TOO_COSTLY');
      expect(error?.message).toMatch(/may need (?:39|40)\d{5} calls to the service; 250/);
    },
  );

  // security: many-representations
  test('in representations fail with at most a thousand errors, which are short', async () => {
    const field = '_entities(representations: $them) { __typename }';
    const them = [{ __typename: 'Message', id: TOO_LONG_ID }, 'junk'];

    const { data, errors } = await measure(
      NOWHERE,
      `query ($them: [_Any!]!) { ${repeat(800, (i) => `a${i}: ${field}`)} }`,
      { variables: { them } },
    );

    expect(new Set(Object.values(data).flat())).toEqual(new Set([null]));
    expect(errors).toHaveLength(1001);
    expect(JSON.stringify(errors).length).toBeLessThan(500_000);
    expect(errors?.at(-1)?.extensions.code).toBe('TOO_MANY_ERRORS');
  });

  // security: long-cursor
  test('that are too long are refused without being decoded', async () => {
    await using gateway = await startTestGateway(NOWHERE);
    using from = vi.spyOn(Buffer, 'from');
    const fields = repeat(50, (i) => `a${i}: nodes(nodeIds: $ids) { nodeId }`);

    const { errors } = await gateway.ask(`query ($ids: [ID!]!) { ${fields} }`, {
      variables: { ids: [TOO_LONG_ID, 'junk'] },
      token: null,
    });
    const decoded = from.mock.calls.map((args: unknown[]) =>
      args[1] === 'base64url' ? String(args[0]).length : 0,
    );

    expect(errors).toHaveLength(100);
    expect(errors?.[99]?.extensions.code).toBe('BAD_USER_INPUT');
    expect(Math.max(...decoded)).toBe('junk'.length);
  });

  // security: long-cursor
  test('that are too long are no part of keys: a small heap holds the price of 200 lists', async () => {
    await using gateway = await startGatewayProcess(NOWHERE, {}, SMALL_HEAP);
    const fields = repeat(
      100,
      (i) =>
        `a${i}: messages(conversationId: $id, first: ${i + 1}) { nodes { message } }
         b${i}: conversation(id: $id) { messages(first: ${i + 1}) { nodes { message } } }`,
    );

    const { status, errors } = await gateway.ask(`query ($id: ID!) { ${fields} }`, {
      variables: { id: TOO_LONG_ID },
    });

    expect(status).toBe(200);
    expect(errors).toHaveLength(200);
    expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
  });
});

// security: long-cursor
test('a cursor of a megabyte under 250 nested lists is refused without a copy of it', async () => {
  const list = 'messages(after: $x) { nodes { conversation';
  const fields = repeat(250, (i) => `a${i}: ${list} { ${list} { id } } } } } }`);

  const { status, errors } = await measureAnonymous(`query ($x: String) { ${fields} }`, {
    x: 'x'.repeat(970_000),
  });

  expect(status).toBe(200);
  expect(errors).toHaveLength(250);
  expect(errors?.[0]).toMatchObject({
    message: expect.stringContaining('not a cursor'),
    extensions: { code: 'BAD_USER_INPUT' },
  });
});

describe('the lines of a document', () => {
  const lines = (count: number, lineBreak: string): string =>
    `query ($id: ID!) {${lineBreak.repeat(count - 1)}  ${repeat(800, (i) => `a${i}: message(id: $id) { id }`)} }`;

  // security: many-lines
  test.each([['\n'], ['\r'], ['\r\n']])(
    'are at most 5,000, with a place: %j',
    async (lineBreak) => {
      const { status, errors } = await measureAnonymous(lines(5000, lineBreak), {
        id: '',
      });
      const refused = await measureAnonymous(lines(5001, lineBreak), { id: '' });

      expect(status).toBe(200);
      expect(errors).toHaveLength(800);
      expect(errors?.[0]).toMatchObject({ locations: [{ line: 5000, column: 3 }] });
      expect(refused.status).toBe(400);
      expect(refused.codes).toEqual(['GRAPHQL_PARSE_FAILED']);
      expect(refused.errors?.[0]?.message).toContain('5000 lines');
    },
  );

  const persistedQuery = { version: 1, sha256Hash: 'x' };

  // security: many-lines
  test.each([
    ['fields that fail', lines(490_000, '\n'), {}],
    ['a document that is sent with its hash', lines(5001, '\n'), { persistedQuery }],
  ])('are counted before the document is parsed: %s', async (_, document, extensions) => {
    const { status, codes } = await measure(NOWHERE, document, {
      variables: { id: '' },
      extensions,
    });

    expect(status).toBe(400);
    expect(codes).toEqual(['GRAPHQL_PARSE_FAILED']);
  });
});

// security: long-name
test.each([
  ['an alias', (name: string) => `{ ${name}: __typename }`],
  ['the operation', (name: string) => `query ${name} { __typename }`],
  [
    'a fragment',
    (name: string) => `{ ...${name} } fragment ${name} on Query { __typename }`,
  ],
])('a name has at most 1,000 characters: %s', async (_, toDocument) => {
  const allowed = await measureAnonymous(toDocument('x'.repeat(1000)));
  const refused = await measureAnonymous(toDocument('x'.repeat(1001)));

  expect(allowed.status).toBe(200);
  expect(refused.status).toBe(400);
  expect(refused.codes).toEqual(['DOCUMENT_TOO_WIDE']);
});

describe('the answer', () => {
  const typenames = repeat(900, (i) => `a${i}: __typename`);
  const inMessages = (selected: string) =>
    `{ messages(conversationId: "c1", first: 100) { nodes { ${selected} } } }`;

  // security: aliased-typename, long-name
  test.each([
    [
      '__typename below links back',
      inMessages(`conversation { messages(first: 70) { nodes { ${typenames} } } }`),
    ],
    ['__typename in the schema', `{ __schema { types { fields { ${typenames} } } } }`],
    [
      'long names, which count as several objects',
      inMessages(repeat(200, (i) => `${'x'.repeat(990)}${i}: id`)),
    ],
    [
      'links back, though they cost no call',
      inMessages(repeat(990, (i) => `a${i}: conversation { isMuted }`)),
      { estimated: expect.any(Number), links: 99_003, limit: 90_100 },
    ],
  ])('may not repeat without end: %s', async (_, query, cost = expect.anything()) => {
    const { status, errors } = await measureAnonymous(query);

    expect(status).toBe(400);
    expect(errors?.map(({ extensions }) => extensions)).toEqual([
      { code: 'OPERATION_TOO_COSTLY', cost },
    ]);
  });

  const MANY_REACTIONS = {
    reactions: [
      Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`r${i}`, []])),
    ],
  };

  // security: aliased-lists
  test.each([
    [
      'attachments',
      { attachments: Array(300_000).fill(1) },
      (i: number) => `a${i}: attachments`,
    ],
    [
      'usernames',
      { reactions: [{ heart: Array.from({ length: 300_000 }, (_, i) => `u${i}`) }] },
      (i: number) => `a${i}: reactions { usernames }`,
    ],
    [
      'reactions of many fields, in fragments',
      MANY_REACTIONS,
      (i: number) =>
        `a${i}: reactions { ... { ... on Reaction { ${repeat(i < 1 ? 300 : 1, (k) => `b${k}: name`)} } } }`,
    ],
  ])('may not repeat a long list without end: %s', async (_, change, toField) => {
    await using upstream = await startFullService((id) => wireMessage(id, change));

    const { status, data, errors } = await measure(
      upstream.url,
      `{ message(id: "x1") { ${repeat(300, toField)} } other: message(id: "x1") { id } }`,
    );

    expect(status).toBe(200);
    expect(data).toEqual({ message: null, other: { id: 'x1' } });
    expect(errors).toHaveLength(1);
    expect(errors?.[0]?.extensions).toEqual({ code: 'OPERATION_TOO_COSTLY' });
    expect(errors?.[0]?.path?.[0]).toBe('message');
  });

  test('of 300 aliases under each of 100 items is complete: links, values and lists', async () => {
    await using upstream = await startFullService();
    const links = repeat(300, (i) => `a${i}: conversation { isMuted }`);
    const values = repeat(300, (i) => `b${i}: message`);
    const lists = repeat(300, (i) => `a${i}: messages(first: 1) { nodes { message } }`);

    const one = await measure(
      upstream.url,
      `{ messages(conversationId: "x1", first: 100) { nodes { ${links} } edges { cursor node { ${values} } } } }`,
    );
    const other = await measure(
      upstream.url,
      `{ conversations(first: 100) { nodes { ${lists} } } }`,
    );

    expect([one.errors, other.errors]).toEqual([undefined, undefined]);
    const { nodes, edges } = one.data.messages;
    expect(Object.keys(nodes[99])).toHaveLength(300);
    expect(edges[99].node.b299).toBe('text x99');
    const last = other.data.conversations.nodes[99];
    expect(Object.keys(last)).toHaveLength(300);
    expect(last.a299).toEqual({ nodes: [{ message: 'text x0' }] });
  });
});

describe('the errors of an answer', () => {
  // security: many-errors
  test.each([
    [
      'fields without their setting',
      `nodes { ${repeat(990, (i) => `a${i}: createdAtIso`)} }`,
      98_000,
    ],
    [
      'a malformed item, wherever it is selected',
      `nodes { id } ${repeat(300, (i) => `a${i}: nodes { id } b${i}: edges { node { id } }`)}`,
      59_100,
    ],
  ])(
    'are at most a thousand, and a count of others: %s',
    async (what, selected, omitted) => {
      // A second after 1970 began, which does not show the unit.
      const toMessage = (id: string) =>
        what.includes('malformed') ? { id } : wireMessage(id, { created_at: 1 });
      await using upstream = await startFullService(toMessage);

      const {
        status,
        errors = [],
        data,
      } = await measure(
        upstream.url,
        `{ messages(conversationId: "x1", first: 100) { ${selected} } }`,
      );

      expect(status).toBe(200);
      expect(errors).toHaveLength(1001);
      expect(errors.at(-1)).toMatchObject({
        message: expect.stringContaining('more errors are left out'),
        extensions: { code: 'TOO_MANY_ERRORS', omitted },
      });
      expect(errors.at(-1)?.path).toEqual(errors.at(-2)?.path);
      expect(data.messages.nodes).toHaveLength(100);
    },
  );

  // security: long-errors
  test('are short, whatever they quote', async () => {
    const keys = Object.fromEntries(
      Array.from({ length: 80_000 }, (_, i) => [`k${i}`, 1]),
    );

    const wrong = await measureAnonymous(
      'mutation ($input: UpdateMessageInput!) { updateMessage(input: $input) { message { id } } }',
      { input: keys },
    );
    const quoted = await measureAnonymous(
      `{ messages(first: "${'x'.repeat(900_000)}") { nodes { id } } }`,
    );
    // Of short variables all errors are listed.
    const short = await measureAnonymous(
      'query ($a: Int, $b: Int) { x: messages(first: $a) { nodes { id } } y: messages(first: $b) { nodes { id } } }',
      { a: 'x', b: 'y' },
    );

    expect(wrong.status).toBe(400);
    expect(wrong.codes).toContain('BAD_USER_INPUT');
    expect(JSON.stringify([wrong.errors, quoted.errors]).length).toBeLessThan(5000);
    expect(short.errors).toHaveLength(2);
  });
});

test('a condition without a value is the mistake of the client', async () => {
  const { status, codes } = await measureAnonymous(
    'query ($yes: Boolean = true) { messages { nodes { id @include(if: $yes) } } }',
    { yes: null },
  );

  expect(status).toBe(400);
  expect(codes).toEqual(['BAD_USER_INPUT']);
});
