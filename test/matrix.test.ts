import { afterAll, expect, test } from 'vitest';
import type { Answers } from '../src/embedded/answers.ts';
import { type Call, startEmbeddedService } from '../src/embedded/service.ts';
import { codes, startTestGateway, type TestGateway } from './support/gateway.ts';
import { startUpstream } from './support/upstream.ts';
import { wireMessage } from './support/wire.ts';

const TOKEN = { token: 'ada-sample-token' };
const LONG = 'conv_lisbon_trip';
const LONG_LENGTH = 640;

/** One plausible answer to an open point, and what must work under it. */
interface Answer {
  readonly name: string;
  readonly knobs?: Partial<Answers>;
  readonly settings?: Record<string, string>;
  check(tools: Tools): Promise<void>;
}

interface Tools {
  readonly ask: (
    query: string,
    variables?: Record<string, unknown>,
  ) => ReturnType<TestGateway['ask']>;
  readonly calls: Call[];
  readonly url: string;
}

const CREATED = '{ message { id message reactions { name usernames } attachments } }';
const newest = async ({ ask }: Tools) => {
  const { data } = await ask(
    `{ messages(conversationId: "${LONG}", first: 1) { nodes { id } } }`,
  );
  return data.messages.nodes[0].id as string;
};
const send = ({ ask }: Tools, fields = '') =>
  ask(
    `mutation { sendMessage(input: { conversationId: "${LONG}", message: "hello" ${fields} }) ${CREATED} }`,
  );
const react = async (tools: Tools, name: string, usernames: string[]) => {
  const reactions = [{ name, usernames }];
  return tools.ask(
    `mutation ($id: ID!, $reactions: [ReactionInput!]) { updateMessage(input: { id: $id, reactions: $reactions }) ${CREATED} }`,
    { id: (await send(tools)).data.sendMessage.message.id, reactions },
  );
};

const works = async (answer: Promise<{ errors?: unknown }>) =>
  expect((await answer).errors).toBeUndefined();

/** The largest conversation, page by page to its end: every message once. Throws the code of a page that cannot be had. */
async function walkWhole({ ask }: Tools): Promise<void> {
  const seen: string[] = [];
  for (let after: string | null = null; ; ) {
    const { data, errors } = await ask(
      'query ($id: ID!, $after: String) { messages(conversationId: $id, first: 80, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }',
      { id: LONG, after },
    );
    if (errors) throw new Error(errors[0]?.extensions.code);
    seen.push(...data.messages.nodes.map(({ id }: { id: string }) => id));
    if (!data.messages.pageInfo.hasNextPage) break;
    after = data.messages.pageInfo.endCursor;
  }
  expect(new Set(seen).size).toBe(LONG_LENGTH);
  expect(seen).toHaveLength(LONG_LENGTH);
}

/** A write and a delete of every kind, whatever they are answered with. */
async function writeAll(tools: Tools): Promise<void> {
  const sent = await send(tools);
  const { id } = sent.data.sendMessage.message;
  await works(
    tools.ask(
      `mutation { updateMessage(input: { id: "${id}", message: "edited" }) ${CREATED} }`,
    ),
  );
  await works(
    tools.ask(`mutation { deleteMessage(input: { id: "${id}" }) { deletedMessageId } }`),
  );
  const made = await tools.ask(
    'mutation { createConversation(input: { contactId: "contact_new" }) { conversation { id } } }',
  );
  const conversation = made.data.createConversation.conversation.id;
  await works(
    tools.ask(
      `mutation { updateConversation(input: { id: "${conversation}", isMuted: true }) { conversation { isMuted } } }`,
    ),
  );
  await works(
    tools.ask(
      `mutation { deleteConversation(input: { id: "${conversation}" }) { deletedConversationId } }`,
    ),
  );
}

/** A refusal of each kind comes with its code, whatever its body looks like. */
async function isRefused(
  { ask }: Tools,
  unknown: 'null' | 'BAD_USER_INPUT',
): Promise<void> {
  const read = await ask('{ message(id: "nobody") { id } }');
  expect(read.data).toEqual({ message: null });
  expect(codes(read)).toEqual(unknown === 'null' ? {} : { message: unknown });
  const written = await ask(
    'mutation { deleteMessage(input: { id: "nobody" }) { deletedMessageId } }',
  );
  expect(codes(written)).toEqual({
    deleteMessage: unknown === 'null' ? 'NOT_FOUND' : unknown,
  });
  const refused = await ask(
    `mutation { sendMessage(input: { conversationId: "${LONG}", message: "" }) { message { id } } }`,
  );
  expect(codes(refused)).toEqual({ sendMessage: 'BAD_USER_INPUT' });
}

const ofConversation = (input: string) =>
  `mutation { createConversation(input: { ${input} }) { conversation { contactId groupId } } }`;

/** Every open point and its plausible answers. Source: contract of the gateway, the nineteen open points. */
const MATRIX: Record<string, Answer[]> = {
  '1 allowed reaction names': [
    { name: 'any', check: async (tools) => works(react(tools, '🎉 wow', ['ada'])) },
    {
      name: 'a few',
      knobs: { reactionNames: ['heart'] },
      async check(tools) {
        await works(react(tools, 'heart', ['ada']));
        expect(codes(await react(tools, 'sad', ['ada']))).toEqual({
          updateMessage: 'BAD_USER_INPUT',
        });
      },
    },
  ],
  '2 attachment fields': (['nested', 'flat', 'bare'] as const).map((attachments) => ({
    name: attachments,
    knobs: { attachments },
    async check(tools) {
      const { data } = await tools.ask(
        `{ messages(conversationId: "${LONG}", first: 100) { nodes { attachments } } }`,
      );
      expect(JSON.stringify(data)).toContain('"type"');
      const sent = await send(
        tools,
        ', attachments: [{ a: [{ b: "1" }, { c: "2" }] }, "plain"]',
      );
      expect(sent.data.sendMessage.message.attachments).toEqual([
        { a: [{ b: '1' }, { c: '2' }] },
        'plain',
      ]);
    },
  })),
  '3 group resource': ['groupId: "group_choir"', 'contactId: "contact_x"'].map(
    (input) => ({
      name: input,
      async check({ ask }) {
        const { data } = await ask(ofConversation(input));
        expect(
          Object.values(data.createConversation.conversation).filter(Boolean),
        ).toHaveLength(1);
      },
    }),
  ),
  '4 timestamp unit': (['seconds', 'milliseconds', 'microseconds'] as const).map(
    (unit) => ({
      name: unit,
      knobs: { timestampUnit: unit },
      settings: { TIMESTAMP_UNIT: unit },
      async check({ ask }) {
        const { data } = await ask(
          `{ conversation(id: "${LONG}") { createdAt createdAtIso } }`,
        );
        expect(data.conversation.createdAtIso).toMatch(/^202[0-9]-/);
        const at = data.conversation.createdAt;
        const { data: archived } = await ask(
          `mutation { updateConversation(input: { id: "${LONG}", archivedAt: ${at} }) { conversation { archivedAt } } }`,
        );
        expect(archived.updateConversation.conversation.archivedAt).toBe(at);
      },
    }),
  ),
  '5 transitions': [
    { name: 'open', check: (tools) => archiveThenSend(tools, {}) },
    {
      name: 'frozen',
      knobs: { archived: 'frozen' },
      check: (tools) => archiveThenSend(tools, { sendMessage: 'CONFLICT' }),
    },
  ],
  '6 success status codes': [
    { name: '200', check: writeAll },
    {
      name: '201, 202, 204',
      knobs: { createStatus: 201, updateStatus: 202, deleteStatus: 204 },
      check: writeAll,
    },
    {
      name: '206, 299',
      knobs: { readStatus: 206, createStatus: 299, updateStatus: 203, deleteStatus: 202 },
      check: writeAll,
    },
  ],
  '7 body of a delete': (['flag', 'object', 'text', 'empty'] as const).map(
    (deleteBody) => ({
      name: deleteBody,
      knobs: { deleteBody },
      check: writeAll,
    }),
  ),
  '8 parameter of the next page': (
    ['none', 'starting_after', 'offset', 'page'] as const
  ).flatMap((paging) => [
    {
      name: paging,
      knobs: { paging },
      settings: { PAGING: paging === 'none' ? 'limit' : paging },
      check: walkWhole,
    },
    ...(paging === 'none'
      ? []
      : [
          {
            name: `${paging}, renamed`,
            knobs: { paging, pagingParam: 'von' },
            settings: { PAGING: paging, PAGING_PARAM: 'von' },
            check: walkWhole,
          },
        ]),
  ]),
  '9 order of lists': (['newest', 'oldest', 'id'] as const).flatMap((order) =>
    (['none', 'starting_after', 'offset', 'page'] as const).map((paging) => ({
      name: `${order}, ${paging}`,
      knobs: { order, paging },
      settings: { PAGING: paging === 'none' ? 'limit' : paging },
      check: walkWhole,
    })),
  ),
  '10 reactions in an update': (['replace', 'add'] as const).map((reactions) => ({
    name: reactions,
    knobs: { reactions },
    async check(tools) {
      const first = await react(tools, 'heart', ['ada']);
      const { id } = first.data.updateMessage.message;
      const { data } = await tools.ask(
        `mutation { updateMessage(input: { id: "${id}", reactions: [{ name: "heart", usernames: ["grace"] }] }) ${CREATED} }`,
      );
      expect(data.updateMessage.message.reactions).toEqual([
        { name: 'heart', usernames: reactions === 'add' ? ['ada', 'grace'] : ['grace'] },
      ]);
    },
  })),
  '11 JSON bodies': (['refuse', 'accept'] as const).map((jsonBodies) => ({
    name: jsonBodies,
    knobs: { jsonBodies },
    async check(tools) {
      await writeAll(tools);
      expect(tools.calls.some(({ body }) => body.startsWith('{'))).toBe(false);
    },
  })),
  '12 both contact_id and group_id': (['group', 'refuse', 'both'] as const).map(
    (bothIds) => ({
      name: bothIds,
      knobs: { bothIds },
      async check({ ask, calls }) {
        const answer = await ask(
          ofConversation('contactId: "contact_x", groupId: "group_choir"'),
        );
        expect(calls.at(-1)?.body).toBe('contact_id=contact_x&group_id=group_choir');
        if (bothIds === 'refuse')
          expect(codes(answer)).toEqual({ createConversation: 'BAD_USER_INPUT' });
        else
          expect(answer.data.createConversation.conversation.groupId).toBe('group_choir');
      },
    }),
  ),
  '13 tokens': ['a', 'eyJhbGciOi.J9.x-_~+/=', '!"#$%&()*,:;<>?@[]^{|}'].map((token) => ({
    name: token,
    async check() {
      await using upstream = await startUpstream({
        'GET /v1/messages/m1': wireMessage('m1'),
      });
      await using gateway = await startTestGateway(upstream.url);
      await works(gateway.ask('{ message(id: "m1") { id } }', { token }));
      expect(upstream.calls[0]?.token).toBe(`Bearer ${token}`);
    },
  })),
  '14 events': [
    {
      name: 'none: what others change is there at the next read',
      async check(tools) {
        const before = await newest(tools);
        await fetch(`${tools.url}/v1/messages/${before}`, {
          method: 'DELETE',
          headers: { authorization: `Bearer ${TOKEN.token}` },
        });
        expect(await newest(tools)).not.toBe(before);
      },
    },
    {
      name: 'none: nothing to subscribe to',
      check: async ({ ask }) =>
        expect((await ask('subscription { messages { id } }')).status).toBe(400),
    },
  ],
  '15 error format': [
    ...(['json', 'problem', 'text', 'html', 'empty'] as const).map(
      (errorFormat): Answer => ({
        name: errorFormat,
        knobs: { errorFormat },
        check: (tools) => isRefused(tools, 'null'),
      }),
    ),
    {
      name: 'unknown id as 410',
      knobs: { unknownId: 410 },
      check: (tools) => isRefused(tools, 'null'),
    },
    {
      name: 'unknown id as 400',
      knobs: { unknownId: 400 },
      check: (tools) => isRefused(tools, 'BAD_USER_INPUT'),
    },
  ],
  '16 maximum limit': [
    { name: 'none', check: walkWhole },
    ...(['cap', 400, 422] as const).flatMap((aboveMaxLimit): Answer[] => [
      {
        name: `${aboveMaxLimit} above 50, starting_after`,
        knobs: { maxLimit: 50, aboveMaxLimit, paging: 'starting_after' },
        settings: { PAGING: 'starting_after' },
        check: walkWhole,
      },
      {
        name: `${aboveMaxLimit} above 50, known, offset`,
        knobs: { maxLimit: 50, aboveMaxLimit, paging: 'offset' },
        settings: { PAGING: 'offset', MAX_LIMIT: '50' },
        check: walkWhole,
      },
      {
        name: `${aboveMaxLimit} above 50, limit alone`,
        knobs: { maxLimit: 50, aboveMaxLimit },
        check: async (tools) =>
          expect(walkWhole(tools)).rejects.toThrow(/PAGE_OUT_OF_REACH/),
      },
    ]),
  ],
  '17 rate limits': (['none', 'seconds', 'date'] as const).map((retryAfter) => ({
    name: `Retry-After: ${retryAfter}`,
    knobs: { rateLimit: 2, retryAfter },
    async check({ ask }) {
      const fields = Array.from(
        { length: 9 },
        (_, index) => `f${index}: message(id: "nobody${index}") { id }`,
      );
      const { errors = [] } = await ask(`{ ${fields.join(' ')} }`);
      expect(errors.length).toBeGreaterThanOrEqual(5);
      for (const { extensions } of errors) {
        expect(extensions.code).toBe('RATE_LIMITED');
        expect(extensions.retryAfterSeconds ?? null).toSatisfy((seconds) =>
          retryAfter === 'none' ? seconds === null : seconds >= 0 && seconds <= 2,
        );
      }
    },
  })),
  '18 limits of messages and attachments': ([400, 422] as const).map(
    (oversizeStatus) => ({
      name: `${oversizeStatus} above 4 characters, 1 attachment`,
      knobs: { maxMessageLength: 5, maxAttachments: 1, oversizeStatus },
      async check(tools) {
        await works(send(tools));
        const long = await tools.ask(
          `mutation { sendMessage(input: { conversationId: "${LONG}", message: "hello!" }) ${CREATED} }`,
        );
        const many = await send(tools, ', attachments: ["a", "b"]');
        for (const refused of [long, many]) {
          expect(codes(refused)).toEqual({ sendMessage: 'BAD_USER_INPUT' });
          expect(refused.errors?.[0]?.extensions.upstream).toMatchObject({
            status: oversizeStatus,
          });
        }
      },
    }),
  ),
  '19 version policy': ['', '/api/messaging'].map((prefix) => ({
    name: `${prefix}/v1`,
    async check() {
      await using upstream = await startUpstream({
        [`GET ${prefix}/v1/messages/m1`]: wireMessage('m1'),
      });
      await using gateway = await startTestGateway(`${upstream.url}${prefix}/`);
      await works(gateway.ask('{ message(id: "m1") { id } }'));
      expect(upstream.lines()).toEqual([`GET ${prefix}/v1/messages/m1`]);
    },
  })),
};

async function archiveThenSend(
  tools: Tools,
  expected: Record<string, string>,
): Promise<void> {
  await works(
    tools.ask(
      `mutation { updateConversation(input: { id: "${LONG}", archivedAt: 1 }) { conversation { id } } }`,
    ),
  );
  expect(codes(await send(tools))).toEqual(expected);
  await works(
    tools.ask(
      `mutation { updateConversation(input: { id: "${LONG}", archivedAt: null }) { conversation { id } } }`,
    ),
  );
  await works(send(tools));
}

const rows = Object.entries(MATRIX);
const passed = new Map<string, number>();

afterAll(() => {
  const answers = [...passed.values()].reduce((sum, count) => sum + count, 0);
  const whole = rows.filter(([point, all]) => passed.get(point) === all.length);
  process.stdout.write(`open points: ${whole.length}/19, ${answers} answers tried\n`);
});

test('there are nineteen open points with at least two answers each', () => {
  expect(rows.map(([point]) => Number.parseInt(point, 10))).toEqual(
    Array.from({ length: 19 }, (_, i) => i + 1),
  );
  expect(Math.min(...rows.map(([, answers]) => answers.length))).toBeGreaterThanOrEqual(
    2,
  );
});

test.each(
  rows.flatMap(([point, answers]) =>
    answers.map((answer) => [point, answer.name, answer] as const),
  ),
)('open point %s: %s', async (point, _name, { knobs, settings, check }) => {
  const calls: Call[] = [];
  await using service = await startEmbeddedService({
    answers: knobs ?? {},
    onCall: (call) => calls.push(call),
  });
  await using gateway = await startTestGateway(service.url, {
    REST_RETRIES: '0',
    ...settings,
  });

  await check({
    calls,
    url: service.url,
    ask: (query, variables) =>
      gateway.ask(query, { ...TOKEN, ...(variables && { variables }) }),
  });

  passed.set(point, (passed.get(point) ?? 0) + 1);
});
