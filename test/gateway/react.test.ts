import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { askOnce, reads, startScripted } from '../support/gateway.ts';
import { subscribe } from '../support/subscribe.ts';
import type { Respond } from '../support/upstream.ts';
import { wireContact, wireConversation, wireMessage, wirePage } from '../support/wire.ts';
import { write } from '../support/write.ts';

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

/** The same behind a gateway; some answers wait until the test lets them go. */
async function startHolding(
  style: keyof typeof STYLES,
  isHeld: (call: Parameters<Respond>[0]) => boolean,
  env = {},
) {
  const { state, respond } = createService(style, {});
  const open: { readonly token: string | undefined; readonly go: () => void }[] = [];
  const gateway = await startScripted(async (call, headers) => {
    const answer = await respond(call, headers);
    if (isHeld(call))
      await new Promise<void>((go) => open.push({ token: call.token, go }));
    return answer;
  }, env);
  return { ...gateway, state, open };
}

const change = (field: string, input: string) =>
  `mutation { ${field}Reaction(input: { messageId: "m1", ${input} }) { message { id reactions { name usernames } } } }`;
const READ = '{ message(id: "m1") { id } }';
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
    // Each reads once to show that the service accepts it, and once more in its turn.
    expect(gateway.service.calls).toHaveLength(600);
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
  expect(decodeURIComponent(calls.at(-1)?.form ?? '')).toBe(
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
  expect(new Set(lines)).toEqual(new Set(['GET /v1/messages/m1']));
});

test('a service that drops the reaction is a conflict', async () => {
  const { codes } = await askOnce(add('ann'), () => ({ body: wireMessage('m1') }));

  expect(codes).toEqual({ addReaction: 'CONFLICT' });
});

test('a reaction to a message that does not exist is NOT_FOUND', async () => {
  await using gateway = await startScripted(() => ({ status: 404, delayMs: 200 }));
  const both = await Promise.all([gateway.ask(add('ann')), gateway.ask(add('bob'))]);

  for (const { errors } of both) expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  // The two are one token's, so that they share a read.
  expect(gateway.service.lines()).toEqual(['GET /v1/messages/m1']);
});

test.each([
  [{ name: 'a[b' }, '"[" or "]"'],
  [{ name: '' }, 'empty'],
  [{ username: '\ud800' }, 'Unicode'],
])('%j is refused before any call', async (input, words) => {
  const { error, lines } = await write('addReaction', input);

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
  const mine = await askOnce(
    change('add', 'name: "heart"').replace('usernames', 'isMine'),
    found,
  );
  const unknown = await askOnce(change('add', 'name: "heart"'), {
    'GET /v1/conversations': wirePage([]),
  });

  expect(mine.data.addReaction.message.reactions).toEqual([
    { name: 'heart', isMine: true },
  ]);
  expect(mine.calls.at(-1)?.form).toBe('reactions%5Bheart%5D%5B%5D=ann');
  expect(mine.lines).toHaveLength(4);
  expect(unknown.codes).toEqual({ addReaction: 'BAD_USER_INPUT' });
  expect(unknown.error?.message).toContain('username');
  expect(unknown.lines).toEqual(['GET /v1/conversations?limit=10']);
});

test('`updateMessage` of reactions waits for its turn, and its text does not', async () => {
  await using gateway = await startHolding('replaces all', ({ line }) =>
    line.startsWith('GET'),
  );
  const { open, service } = gateway;
  const accepted = gateway.ask(READ);
  await expect.poll(() => open.length).toBe(1);
  open.pop()?.go();
  await accepted;
  const update = (input: string) =>
    gateway.ask(
      `mutation { updateMessage(input: { id: "m1", ${input} }) { message { id } } }`,
    );
  const adding = gateway.ask(add('ann'));
  await expect.poll(() => open.length).toBe(1);

  const updating = update('reactions: [{ name: "seen", usernames: ["bob"] }]');
  const clearing = update('reactions: null');
  await update('message: "x"');
  const before = service.calls.map(({ form }) => form);
  open[0]?.go();
  await Promise.all([adding, updating, clearing]);

  expect(before).toEqual(['', '', 'message=x']);
  expect(service.calls.slice(3).map(({ form }) => decodeURIComponent(form))).toEqual([
    'reactions[heart][]=ann',
    'reactions[seen][]=bob',
    'reactions=',
  ]);
});

test('a read that began before the turn is not joined', async () => {
  let isHeld = false;
  await using gateway = await startHolding('replaces all', () => isHeld);
  const { state, open } = gateway;
  await gateway.ask(READ);
  isHeld = true;
  const slow = gateway.ask(READ);
  await expect.poll(() => open.length).toBe(1);
  isHeld = false;
  state.reactions = { heart: ['bob'] };

  await gateway.ask(add('ann'));
  open[0]?.go();
  await slow;

  expect(state.reactions).toEqual({ heart: ['bob', 'ann'] });
});

/** A service that answers each call when it is told to. */
async function startHeld() {
  let isHeld = false;
  const gateway = await startHolding('adds them', () => isHeld);
  const { open } = gateway;
  for (const token of ['a', 'b']) await gateway.ask(READ, { token });
  isHeld = true;
  /** Answers the only open call, and returns who made it. */
  const next = async () => {
    await expect.poll(() => open.length).toBe(1);
    const { token, go } = open.pop() as (typeof open)[number];
    go();
    return token?.at(-1);
  };
  return { gateway, next };
}

test('many turns of one caller delay another by one', async () => {
  const { gateway, next } = await startHeld();
  await using _ended = gateway;
  const many = Array.from({ length: 20 }, (_, index) =>
    gateway.ask(add(`user-${index}`), { token: 'a' }),
  );
  const first = await next();
  const bobs = gateway.ask(add('bob'), { token: 'b' });
  const order = [first];
  while (order.length < 42) order.push(await next());

  expect((await bobs).errors).toBeUndefined();
  for (const { errors } of await Promise.all(many)) expect(errors).toBeUndefined();
  // Each turn is a read and a write.
  expect(order.lastIndexOf('b')).toBeLessThanOrEqual(5);
});

test('who leaves while it waits gives up its turn, and writes nothing', async () => {
  const { gateway, next } = await startHeld();
  await using _ended = gateway;
  const running = gateway.ask(add('ann'), { token: 'a' });
  await expect.poll(() => gateway.service.calls.length).toBe(3);
  const leaving = new AbortController();
  const left = gateway.ask(add('carl'), { token: 'a', signal: leaving.signal });
  const waiting = gateway.ask(add('bob'), { token: 'b' });
  leaving.abort();
  await left.catch(() => {});
  const order = [await next(), await next(), await next(), await next()];

  expect(order).toEqual(['a', 'a', 'b', 'b']);
  for (const { errors } of await Promise.all([running, waiting]))
    expect(errors).toBeUndefined();
  expect(gateway.service.calls.some(({ form }) => form.includes('carl'))).toBe(false);
});

test('whose turn is over before it writes is told that nothing was written', async () => {
  let isHeld = false;
  await using gateway = await startHolding(
    'replaces all',
    ({ token }) => isHeld && token === 'Bearer ann-token',
  );
  const { state, open } = gateway;
  for (const token of ['ann-token', 'bob-token']) await gateway.ask(READ, { token });
  isHeld = true;
  const slow = gateway.ask(add('ann'), { token: 'ann-token' });
  await expect.poll(() => open.length).toBe(1);

  const { errors } = await gateway.ask(add('bob'), { token: 'bob-token' });
  open[0]?.go();
  const late = await slow;

  expect(errors).toBeUndefined();
  expect(
    late.errors?.map(({ message, extensions }) => [extensions.code, message]),
  ).toEqual([['UPSTREAM_TIMEOUT', expect.stringContaining('nothing was written')]]);
  expect(state.reactions).toEqual({ heart: ['bob'] });
});

test('a write that waits for a connection until its turn is over is not sent', async () => {
  let isHeld = false;
  await using gateway = await startHolding(
    'replaces all',
    ({ line, token }) => isHeld && token === 'Bearer ann-token' && line.startsWith('GET'),
    { REST_CONNECTIONS: '5' },
  );
  const { state, open } = gateway;
  for (const token of ['ann-token', 'bob-token']) await gateway.ask(READ, { token });
  isHeld = true;
  const slow = gateway.ask(add('ann'));
  await expect.poll(() => open.length).toBe(1);
  // Her own reads take all connections that she may have, and wait for more.
  const flood = gateway.ask(reads(10, 'x'));
  await expect.poll(() => open.length).toBeGreaterThan(2);
  open[0]?.go();

  const { errors } = await gateway.ask(add('bob'), { token: 'bob-token' });
  isHeld = false;
  for (const { go } of open) go();
  const late = await slow;
  await flood;

  expect(errors).toBeUndefined();
  expect(late.errors?.[0]?.message).toContain('nothing was written');
  expect(state.reactions).toEqual({ heart: ['bob'] });
});

test('a turn lasts as long as its calls while nobody else waits', async () => {
  const { state, respond } = createService('replaces all', {});
  await using gateway = await startScripted(async (call, headers) => ({
    ...(await respond(call, headers)),
    delayMs: call.form === '' ? 1300 : 0,
  }));

  const { errors } = await gateway.ask(add('ann'));

  expect(errors).toBeUndefined();
  expect(state.reactions).toEqual({ heart: ['ann'] });
});

test('a caller who waits in its own turn delays others no longer than a turn may last', async () => {
  const { respond } = createService('replaces all', {});
  let isLimited = false;
  await using gateway = await startScripted(
    (call, headers) =>
      isLimited && call.token === 'Bearer a'
        ? { status: 429, headers: { 'retry-after': '4' } }
        : respond(call, headers),
    { OPERATION_TIMEOUT_MS: '12000' },
  );
  for (const token of ['a', 'b']) await gateway.ask(READ, { token });
  isLimited = true;
  const leaving = new AbortController();
  const many = [1, 2, 3].map(() =>
    gateway.ask(add('ann'), { token: 'a', signal: leaving.signal }).catch(() => {}),
  );
  await expect.poll(() => gateway.service.calls.length).toBe(3);

  const { errors } = await gateway.ask(add('bob'), { token: 'b' });
  const sinceLimited = gateway.service.calls.slice(2).map(({ token }) => token);

  expect(errors).toBeUndefined();
  // Before those of b, two turns of a, of a read each. These reads would be repeated after four seconds.
  expect(sinceLimited.indexOf('Bearer b')).toBe(2);
  leaving.abort();
  await Promise.all(many);
});

test('a write whose client has left keeps its turn, because the service may carry it out later', async () => {
  const { state, respond } = createService('replaces all', {});
  const put: (() => void)[] = [];
  await using gateway = await startScripted(async (call, headers) => {
    if (call.form.includes('mallory') && put.length === 0)
      await new Promise<void>((resume) => put.push(resume));
    return respond(call, headers);
  });
  for (const token of ['a', 'b']) await gateway.ask(READ, { token });
  const leaving = new AbortController();
  const left = gateway.ask(add('mallory'), { token: 'a', signal: leaving.signal });
  await expect.poll(() => put.length).toBe(1);
  const bobs = gateway.ask(add('bob'), { token: 'b' });
  leaving.abort();
  await left.catch(() => {});
  await sleep(300);
  put[0]?.();

  expect((await bobs).errors).toBeUndefined();
  expect(state.reactions).toEqual({ heart: ['mallory', 'bob'] });
});

test('the username of each change is that of its time', async () => {
  let username = 'ann';
  const { lines, calls } = await askOnce(
    `mutation {
      a: addReaction(input: { messageId: "m1", name: "heart" }) { message { id } }
      sendMessage(input: { conversationId: "c1", message: "hi" }) { message { id } }
      b: addReaction(input: { messageId: "m1", name: "heart" }) { message { id } }
    }`,
    ({ line }) => {
      if (line.startsWith('POST')) username = 'anna';
      const message = (id: string) =>
        wireMessage(id, {
          contact: wireContact({ username }),
          reactions: line.startsWith('PUT') ? [{ heart: [username] }] : [],
        });
      if (line.includes('/conversations'))
        return { body: wirePage([wireConversation('c1')]) };
      return { body: line.includes('?') ? wirePage([message('m2')]) : message('m1') };
    },
  );

  expect(lines.length).toBeLessThan(13);
  expect(
    calls
      .filter(({ line }) => line.startsWith('PUT'))
      .map(({ form }) => decodeURIComponent(form)),
  ).toEqual(['reactions[heart][]=ann', 'reactions[heart][]=anna']);
});

test('callers whom the service does not accept have no turns', async () => {
  let open = 0;
  await using gateway = await startScripted(async ({ line, token }) => {
    if (token === 'Bearer a')
      return {
        body: wireMessage('m1', {
          reactions: [{ heart: line.startsWith('PUT') ? ['ann'] : [] }],
        }),
      };
    open += 1;
    await sleep(60_000, null, { ref: false });
    return { status: 401 };
  });
  await gateway.ask(READ, { token: 'a' });
  const leaving = new AbortController();
  const strangers = Array.from({ length: 20 }, (_, index) =>
    gateway
      .ask(add('eve'), { token: `made-up-${index}`, signal: leaving.signal })
      .catch(() => {}),
  );
  await expect.poll(() => open).toBeGreaterThan(10);

  const { errors } = await gateway.ask(add('ann'), { token: 'a' });

  expect(errors).toBeUndefined();
  leaving.abort();
  await Promise.all(strangers);
});

test('a reaction that nothing changes is told to nobody; one that conflicts is', async () => {
  let reactions: object[] = [{ heart: ['ann', 'bob'] }];
  let updated = 0;
  await using gateway = await startScripted(
    ({ line }) => {
      const isWrite = line.startsWith('PUT');
      if (isWrite) updated += 1;
      const body = wireMessage('m1', { reactions, updated_at: updated });
      return { body: line.includes('?') ? wirePage([body]) : body };
    },
    { LIVE_POLL_MS: '100000000' },
  );
  await using live = await subscribe(
    gateway.url,
    'subscription { messageChanged(conversationId: "c1") { kind } }',
  );
  const polls = () => gateway.service.lines().filter((line) => line.includes('?')).length;
  const before = polls();

  await gateway.ask(add('ann'));
  const after = polls();
  const { errors } = await gateway.ask(remove('ann'));

  expect([after - before, errors?.[0]?.extensions.code]).toEqual([0, 'CONFLICT']);
  expect((await live.next())?.data.messageChanged.kind).toBe('UPDATED');
  reactions = [];
});

test('a message whose other reactions no form can carry is a conflict, and no fault of the client', async () => {
  const { error, lines } = await askOnce(add('ann'), () => ({
    body: wireMessage('m1', { reactions: [{ 'a[b': ['bob'] }] }),
  }));

  expect(error?.extensions.code).toBe('CONFLICT');
  expect(error?.message).toContain('Nothing was written');
  expect(lines.every((line) => line.startsWith('GET'))).toBe(true);
});

test('the other reactions keep their order', async () => {
  const { respond, state } = createService('replaces all', { a: ['bob'], b: ['bob'] });
  await askOnce(add('ann', 'a'), respond);

  expect(Object.entries(state.reactions)).toEqual([
    ['a', ['bob', 'ann']],
    ['b', ['bob']],
  ]);
});

test('what a write shows of the caller helps the next field', async () => {
  const { data, codes } = await askOnce(
    `mutation {
      a: addReaction(input: { messageId: "m1", name: "heart" }) { message { id } }
      b: sendMessage(input: { conversationId: "c1", message: "hi" }) { message { id } }
      c: addReaction(input: { messageId: "m1", name: "heart" }) { message { id } }
    }`,
    {
      'GET /v1/conversations': wirePage([]),
      'GET /v1/messages/m1': wireMessage('m1'),
      'GET /v1/messages/m9': wireMessage('m9'),
      'PUT /v1/messages/m1': wireMessage('m1', { reactions: [{ heart: ['ann'] }] }),
      'POST /v1/messages': wireMessage('m9'),
    },
  );

  expect(codes).toEqual({ a: 'BAD_USER_INPUT' });
  expect(data.c.message).toEqual({ id: 'm1' });
});

test.each([
  ['many', Array.from({ length: 20_000 }, (_, index) => `user-${index}`)],
  ['one that is long', ["'".repeat(600_000)]],
])('reactions that are too long for a form are not written: %s', async (_, usernames) => {
  const { codes, lines } = await askOnce(add('ann'), () => ({
    body: wireMessage('m1', { reactions: [{ heart: usernames }] }),
  }));

  expect(codes).toEqual({ addReaction: 'CONFLICT' });
  expect(new Set(lines)).toEqual(new Set(['GET /v1/messages/m1']));
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
  expect(lines).toEqual([...Array(2).fill('GET /v1/messages/m1'), 'PUT /v1/messages/m1']);
});
