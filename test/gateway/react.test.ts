import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { askOnce, startScripted, startTestGateway } from '../support/gateway.ts';
import { type Respond, startUpstream } from '../support/upstream.ts';
import { wireContact, wireConversation, wireMessage, wirePage } from '../support/wire.ts';

type Usernames = Record<string, string[]>;

/** What a service may do with the reactions that it is sent. Open point: reactions in an update. */
const STYLES = {
  'adds them': (before: Usernames, sent: Usernames) =>
    Object.fromEntries(
      [...new Set([...Object.keys(before), ...Object.keys(sent)])].map((name) => [
        name,
        [...new Set([...(before[name] ?? []), ...(sent[name] ?? [])])],
      ]),
    ),
  'replaces all': (_before: Usernames, sent: Usernames) => sent,
  'replaces each name': (before: Usernames, sent: Usernames) => ({ ...before, ...sent }),
};

/** The message m1 with these reactions. */
function createService(style: keyof typeof STYLES, start: Usernames, delayMs = 0) {
  const state = { reactions: start };
  const respond: Respond = async ({ line, form }) => {
    if (line !== 'GET /v1/messages/m1' && line !== 'PUT /v1/messages/m1')
      return { status: 404 };
    const sent: Usernames = {};
    for (const [key, value] of new URLSearchParams(form)) {
      const name = /^reactions\[(.*?)\]/.exec(key)?.[1] ?? '';
      sent[name] = [...(sent[name] ?? []), ...(key.endsWith('[]') ? [value] : [])];
    }
    // What is read shows the moment of the call, and not that of the answer.
    if (line.startsWith('PUT')) state.reactions = STYLES[style](state.reactions, sent);
    const body = wireMessage('m1', { reactions: [{ ...state.reactions }] });
    if (delayMs > 0) await sleep(Math.random() * delayMs);
    return { body };
  };
  return { state, respond };
}

const change = (field: string, input: string) =>
  `mutation { ${field}Reaction(input: { messageId: "m1", ${input} }) { message { id reactions { name usernames } } } }`;
const add = (username: string, name = 'heart') =>
  change('add', `name: "${name}", username: "${username}"`);
const remove = (username: string, name = 'heart') =>
  change('remove', `name: "${name}", username: "${username}"`);

test.each(Object.keys(STYLES) as (keyof typeof STYLES)[])(
  'of the reactions of two hundred users at once none is lost, if the service %s',
  async (style) => {
    const { state, respond } = createService(style, { seen: ['zoe'] }, 4);
    await using gateway = await startScripted(respond, { REST_TIMEOUT_MS: '30000' });

    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        gateway.ask(add(`user-${index}`, index % 2 ? 'heart' : '👍'), {
          token: `token-${index}`,
        }),
      ),
    );

    expect(answers.flatMap(({ errors = [] }) => errors)).toEqual([]);
    const users = Object.values(state.reactions).flat();
    expect(new Set(users)).toHaveLength(201);
    expect(users).toHaveLength(201);
    expect(gateway.service.calls).toHaveLength(400);
  },
);

test.each([
  ['adds them', null],
  ['replaces all', { heart: ['bob'], seen: ['ann'] }],
  ['replaces each name', { heart: ['bob'], seen: ['ann'] }],
] as const)(
  'a reaction is taken back, or said to stay, if the service %s',
  async (style, left) => {
    const { state, respond } = createService(style, {
      heart: ['ann', 'bob'],
      seen: ['ann'],
    });
    const { data, codes } = await askOnce(remove('ann'), respond);

    if (left === null) expect(codes).toEqual({ removeReaction: 'CONFLICT' });
    else {
      expect(state.reactions).toEqual(left);
      expect(data.removeReaction.message.reactions).toEqual([
        { name: 'heart', usernames: ['bob'] },
        { name: 'seen', usernames: ['ann'] },
      ]);
    }
  },
);

test('the last reaction of a name is sent empty', async () => {
  const { respond } = createService('replaces each name', {
    heart: ['ann'],
    seen: ['bob'],
  });
  const { errors, calls } = await askOnce(remove('ann'), respond);

  expect(errors).toBeUndefined();
  expect(decodeURIComponent(calls[1]?.form ?? '')).toBe(
    'reactions[heart]=&reactions[seen][]=bob',
  );
});

test.each([
  ['is there already', add('ann')],
  ['is not there', remove('bob')],
  ['is under another name', remove('ann', 'seen')],
])('nothing is written if the reaction %s', async (_, query) => {
  const { respond } = createService('adds them', { heart: ['ann'] });
  const { errors, lines } = await askOnce(query, respond);

  expect(errors).toBeUndefined();
  expect(lines).toEqual(['GET /v1/messages/m1']);
});

test('a service that drops the reaction is a conflict', async () => {
  const { codes } = await askOnce(add('ann'), () => ({ body: wireMessage('m1') }));

  expect(codes).toEqual({ addReaction: 'CONFLICT' });
});

test('a message that does not exist is NOT_FOUND, and the next turn comes', async () => {
  await using gateway = await startScripted({});
  const both = await Promise.all([gateway.ask(add('ann')), gateway.ask(add('bob'))]);

  for (const { errors } of both) expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  expect(gateway.service.lines()).toEqual(Array(2).fill('GET /v1/messages/m1'));
});

test.each([
  ['name: "a[b", username: "ann"', '"[" or "]"'],
  ['name: "", username: "ann"', 'empty'],
])('{ %s } is refused before any call', async (input, words) => {
  const { error, lines } = await askOnce(change('add', input), {});

  expect(error?.extensions.code).toBe('BAD_USER_INPUT');
  expect(error?.message).toContain(words);
  expect(lines).toEqual([]);
});

test('without a username it is that of the caller, found with at most three calls', async () => {
  const found = {
    'GET /v1/conversations': wirePage([wireConversation('c1')]),
    'GET /v1/messages': wirePage([wireMessage('m2')]),
    'GET /v1/messages/m1': wireMessage('m1'),
    'PUT /v1/messages/m1': wireMessage('m1', { reactions: [{ heart: ['ann'] }] }),
  };
  const mine = await askOnce(change('add', 'name: "heart"'), found);
  const unknown = await askOnce(change('add', 'name: "heart"'), {
    'GET /v1/conversations': wirePage([]),
  });

  expect(mine.calls.at(-1)?.form).toBe('reactions%5Bheart%5D%5B%5D=ann');
  expect(mine.lines).toHaveLength(4);
  expect(unknown.codes).toEqual({ addReaction: 'BAD_USER_INPUT' });
  expect(unknown.error?.message).toContain('username');
  expect(unknown.lines).toEqual(['GET /v1/conversations?limit=10']);
});

test('`updateMessage` of reactions waits for its turn, and its text does not', async () => {
  const open: (() => void)[] = [];
  const { respond } = createService('replaces all', {});
  await using service = await startUpstream(async (call, headers) => {
    const answer = await respond(call, headers);
    if (call.line.startsWith('GET')) await new Promise<void>((go) => open.push(go));
    return answer;
  });
  await using gateway = await startTestGateway(service.url);
  const update = (input: string) =>
    gateway.ask(
      `mutation { updateMessage(input: { id: "m1", ${input} }) { message { id } } }`,
    );
  const adding = gateway.ask(add('ann'));
  await expect.poll(() => open.length).toBe(1);

  const updating = update('reactions: [{ name: "seen", usernames: ["bob"] }]');
  await update('message: "x"');
  const before = service.calls.map(({ form }) => form);
  open[0]?.();
  await Promise.all([adding, updating]);

  expect(before).toEqual(['', 'message=x']);
  expect(service.calls.slice(2).map(({ form }) => decodeURIComponent(form))).toEqual([
    'reactions[heart][]=ann',
    'reactions[seen][]=bob',
  ]);
});

test('a read that began before the turn is not joined', async () => {
  const { state, respond } = createService('replaces all', {});
  const open: (() => void)[] = [];
  await using service = await startUpstream(async (call, headers) => {
    const answer = await respond(call, headers);
    if (service.calls.length === 1) await new Promise<void>((go) => open.push(go));
    return answer;
  });
  await using gateway = await startTestGateway(service.url);
  const slow = gateway.ask('{ message(id: "m1") { id } }');
  await expect.poll(() => open.length).toBe(1);
  state.reactions = { heart: ['bob'] };

  await gateway.ask(add('ann'));
  open[0]?.();
  await slow;

  expect(state.reactions).toEqual({ heart: ['bob', 'ann'] });
});

test('many turns of one caller delay another by one, and who does not wait any more gives up its turn', async () => {
  const { respond } = createService('adds them', {});
  await using gateway = await startScripted(
    async (call, headers) => ({ ...(await respond(call, headers)), delayMs: 30 }),
    { OPERATION_TIMEOUT_MS: '1200' },
  );
  const known = '{ message(id: "m1") { id } }';
  await gateway.ask(known, { token: 'a' });
  await gateway.ask(known, { token: 'b' });
  const many = Array.from({ length: 60 }, (_, index) =>
    gateway.ask(add(`user-${index}`), { token: 'a' }),
  );
  await expect.poll(() => gateway.service.calls.length).toBeGreaterThan(2);
  const before = gateway.service.calls.length;
  const { errors } = await gateway.ask(add('bob'), { token: 'b' });

  expect(errors).toBeUndefined();
  // The turn of A that runs, one more at most, and its own two calls.
  expect(gateway.service.calls.length - before).toBeLessThanOrEqual(6);
  const ended = await Promise.all(many);
  const late = ended.flatMap(({ errors = [] }) => errors);
  expect(late.length).toBeGreaterThan(5);
  expect(new Set(late.map(({ extensions }) => extensions.code))).toEqual(
    new Set(['UPSTREAM_TIMEOUT']),
  );
  // None of them holds the turn.
  const { errors: after } = await gateway.ask(add('carl'), { token: 'b' });
  expect(after).toBeUndefined();
});

test.each([
  [add('ann'), 5],
  [
    `mutation { a: addReaction(input: { messageId: "m1", name: "x" }) { message { isMine } } }`,
    6,
  ],
])('%s is priced at %d calls', async (query, price) => {
  const env = { MAX_REST_CALLS: String(price - 1) };
  const { error, lines } = await askOnce(query, {}, { env });

  const cost = { estimated: price, limit: price - 1 };
  expect(error?.extensions).toMatchObject({ code: 'OPERATION_TOO_COSTLY', cost });
  expect(lines).toEqual([]);
});

test('more reactions than can be written at once are not written', async () => {
  const usernames = Array.from({ length: 10_000 }, (_, index) => `user-${index}`);
  const { codes, lines } = await askOnce(add('ann'), () => ({
    body: wireMessage('m1', { reactions: [{ heart: usernames }] }),
  }));

  expect(codes).toEqual({ addReaction: 'OPERATION_TOO_COSTLY' });
  expect(lines).toEqual(['GET /v1/messages/m1']);
});

test('the payload is the answer to the write, and is not read again', async () => {
  const after = wireMessage('m1', {
    contact: wireContact(),
    reactions: [{ heart: ['ann'] }],
  });
  const { data, lines } = await askOnce(
    `mutation { addReaction(input: { messageId: "m1", name: "heart", username: "ann" }) {
      message { reactions { count } conversation { id } } } }`,
    { 'GET /v1/messages/m1': wireMessage('m1'), 'PUT /v1/messages/m1': after },
  );

  expect(data.addReaction.message.reactions).toEqual([{ count: 1 }]);
  expect(lines).toEqual(['GET /v1/messages/m1', 'PUT /v1/messages/m1']);
});
