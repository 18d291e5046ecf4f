import { describe, expect, test } from 'vitest';
import { startAttackedGateway } from '../../bench/attack/trial/attacked-gateway.ts';
import { ask, type GraphqlAnswer } from '../support/gateway.ts';
import { post } from '../support/http.ts';
import { MARGIN } from '../support/measured.ts';
import { openSocket } from '../support/socket.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

/** No request may keep the thread of the gateway for longer, or make the process gain more. */
const MAX_BUSY_MS = MARGIN * 300;
const MAX_GAINED_BYTES = MARGIN * 200_000_000;

/** What a client got that sent requests to a gateway in a process of its own, which kept within its bounds. */
async function askWithin<Answer = GraphqlAnswer>(
  messagingUrl: string,
  send: (url: string) => Promise<Answer>,
): Promise<Answer> {
  await using gateway = await startAttackedGateway(messagingUrl);
  await ask(gateway.url, '{ __typename }');
  const before = await gateway.settle();
  await gateway.begin();
  const answer = await send(gateway.url);
  const measured = await gateway.end();
  if (measured === null) throw new Error(`The gateway ${gateway.death()}`);
  // The longest time for which its thread was busy without a pause, by the processor's clock.
  expect(measured.cpuMs).toBeLessThan(MAX_BUSY_MS);
  expect(measured.peak - before).toBeLessThan(MAX_GAINED_BYTES);
  return answer;
}

describe('an answer of the service', () => {
  // security: malformed-items
  test.each([
    ['numbers', '0', 500_000],
    ['empty objects', '{}', 260_000],
  ])('may be a page of %s instead of messages', async (_, item, count) => {
    const data = Array(count).fill(item).join();
    await using upstream = await startUpstream({
      'GET /v1/message': wireMessage('x'),
      'GET /v1/messages': `{"has_more":false,"data":[${data}]}`,
    });

    const answer = await askWithin(upstream.url, (url) =>
      ask(url, '{ messages(first: 1) { nodes { id } } }'),
    );

    expect(answer.errors?.[0]?.extensions.code).toBe('UPSTREAM_INVALID_RESPONSE');
  });

  const KEYS = JSON.stringify(
    Object.fromEntries(Array.from({ length: 145_000 }, (_, n) => [`k${n}`, 0])),
  );
  /** Fills an answer of 16 MiB nearly. */
  const LONG = JSON.stringify(wireMessage('x', { message: 'x'.repeat(16_776_000) }));
  const aliases = (field: string) =>
    Array.from({ length: 240 }, (_, n) => `a${n}: ${field}`).join(' ');

  // security: many-keys
  test.each([
    ['in one message', `{ message(id: "k") { ${aliases('attachments')} } }`],
    [
      'in one message, behind a long text',
      '',
      aliases('message(id: "k") { attachments }'),
    ],
  ])(
    'may hold many keys that are selected again and again: %s',
    async (_, query, fields = '') => {
      const { attachments: _none, ...message } = wireMessage('k');
      const withKeys = `${JSON.stringify(message).slice(0, -1)},"attachments":[${KEYS}]}`;
      await using upstream = await startUpstream({
        'GET /v1/messages/k': withKeys,
        'GET /v1/messages/long': LONG,
        'GET /v1/messages/x': wireMessage('x'),
      });

      const answer = await askWithin(upstream.url, (url) =>
        ask(url, query || `{ long: message(id: "long") { message } ${fields} }`),
      );

      expect(answer.errors?.[0]?.extensions.code).toBe('OPERATION_TOO_COSTLY');
    },
  );

  /** A message with this text, and one attachment that keeps its text. */
  const withNumber = (message: string) =>
    JSON.stringify(wireMessage('x', { message })).replace(
      '"attachments":[]',
      '"attachments":[1e5]',
    );

  // security: looks-like-numbers
  test('may be a long text that looks like numbers', async () => {
    const message = `\u20ac${':1234567890123456       '.repeat(650_000)}`;
    await using upstream = await startUpstream(() => ({ body: withNumber(message) }));

    const answer = await askWithin(upstream.url, (url) =>
      ask(url, '{ message(id: "x") { attachments } }'),
    );

    expect(answer.data).toEqual({ message: { attachments: [100_000] } });
  });

  // security: wide-characters
  test('counts as what it takes in memory, if its text has a wide character', async () => {
    const body = withNumber(`${'x'.repeat(15_500_000)}\u20ac`);
    await using upstream = await startUpstream(() => ({ body }));

    const answer = await askWithin(upstream.url, (url) =>
      ask(url, '{ a: message(id: "a") { message } b: message(id: "b") { id } }'),
    );

    expect(answer.errors?.[0]?.extensions.code).toBe('OPERATION_TOO_COSTLY');
  });
});

/** Its variables take twenty times its bytes. */
const LONG_REQUEST = {
  query: '{ message(id: "hangs") { id } }',
  variables: { x: Array(131_000).fill({}) },
};
const startHangingUpstream = () =>
  startUpstream(({ line }) =>
    line.endsWith('/x') ? { body: wireMessage('x') } : new Promise(() => {}),
  );

// security: long-requests
test('forty long requests at once, whose variables take twenty times their bytes, are OVERLOADED but for the first', async () => {
  await using upstream = await startHangingUpstream();
  const body = JSON.stringify(LONG_REQUEST);

  const answer = await askWithin(
    upstream.url,
    (url) =>
      new Promise<GraphqlAnswer>((resolve) => {
        let refused = 0;
        for (let count = 0; count < 40; count += 1) {
          // Those that are not refused end with the gateway.
          post(url, body, { authorization: 'Bearer ann-token' })
            .then(async (response) => {
              const { status, headers } = response;
              const answer = (await response.json()) as GraphqlAnswer;
              if (status === 429) refused += 1;
              if (refused === 30) resolve({ ...answer, status, headers });
            })
            .catch(() => {});
        }
      }),
  );

  expect(answer.errors?.[0]?.extensions).toEqual({
    code: 'OVERLOADED',
    retryAfterSeconds: 1,
  });
  expect(answer.headers.get('retry-after')).toBe('1');
});

// security: long-requests
test('so are forty such messages of one socket, which goes on with short ones', async () => {
  await using upstream = await startHangingUpstream();

  const messages = await askWithin(upstream.url, async (url) => {
    using socket = await openSocket(url);
    const { query, variables } = LONG_REQUEST;
    for (let id = 0; id < 40; id += 1) socket.subscribe(String(id), query, variables);
    socket.subscribe('short', '{ __typename }');
    await expect.poll(() => socket.messages.some(({ id }) => id === 'short')).toBe(true);
    return socket.messages;
  });

  const refused = messages.filter(({ type }) => type === 'error');
  expect(refused.length).toBeGreaterThanOrEqual(30);
  expect(refused[0]?.payload[0].extensions).toEqual({
    code: 'OVERLOADED',
    retryAfterSeconds: 1,
  });
  expect(messages.find(({ id }) => id === 'short')).toMatchObject({ type: 'next' });
});
