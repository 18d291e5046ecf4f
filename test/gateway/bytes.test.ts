import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  askOnce,
  codes,
  repeat,
  startScripted,
  startTestGateway,
} from '../support/gateway.ts';
import { askAndWait, post } from '../support/http.ts';
import { readMetric } from '../support/metrics.ts';
import { named, sha256 } from '../support/persisted.ts';
import {
  answering,
  LONG_ANSWER_BYTES,
  LONG_QUERY,
  startLongService,
  type UpstreamAnswer,
} from '../support/upstream.ts';
import { nodeIdOf, wireMessage, wirePage } from '../support/wire.ts';

const MIB = 2 ** 20;
/** With the default settings. */
const MAX_ANSWER = 16 * MIB;
const MAX_READ = 32 * MIB;
const MAX_FORMS = 32 * MIB;

const aliases = (count: number, field: string) =>
  repeat(count, (index) => `a${index}: ${field}`);

describe('an answer that would be longer than 16 MiB', () => {
  const big = wireMessage('m1', { message: 'x'.repeat(600_000) });
  const SERVICE = {
    'GET /v1/messages/m1': big,
    'GET /v1/messages/m2': wireMessage('m2'),
    'PUT /v1/messages/m1': big,
  };

  // security: aliased-text
  test('has null for the field that does not fit, and keeps the others', async () => {
    const answer = await askOnce(
      `{ message(id: "m1") { ${aliases(990, 'message')} } other: message(id: "m2") { message } }`,
      SERVICE,
    );

    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({ message: null, other: { message: 'text m2' } });
    expect(answer.codes).toEqual({ message: 'OPERATION_TOO_COSTLY' });
    expect(answer.error?.message).toContain(`${MAX_ANSWER} bytes`);
  });

  // security: aliased-text
  test('is judged in a time that does not grow with the fields that do not fit', async () => {
    const answer = await askOnce(`{ ${aliases(900, 'message(id: "m1") { message }')} }`, {
      'GET /v1/messages/m1': wireMessage('m1', { message: 'x'.repeat(9 * MIB) }),
    });

    expect(answer.data.a0.message).toHaveLength(9 * MIB);
    expect(answer.errors).toHaveLength(899);
  });

  test('is null as a whole if the field cannot be null', async () => {
    const nodeId = nodeIdOf('Message', 'm1');

    const answer = await askOnce(
      'query ($ids: [ID!]!) { list: nodes(nodeIds: $ids) { ...on Message { message } } }',
      SERVICE,
      { variables: { ids: Array(100).fill(nodeId) } },
    );

    expect(answer.status).toBe(200);
    expect(answer.data).toBeNull();
    expect(answer.codes).toEqual({ list: 'OPERATION_TOO_COSTLY' });
  });

  test('says of a write that it may have been carried out', async () => {
    const { data, error } = await askOnce(
      `mutation { updateMessage(input: { id: "m1", message: "x" }) { message { ${aliases(40, 'message')} } } }`,
      SERVICE,
    );

    expect(data).toEqual({ updateMessage: null });
    expect(error?.extensions).toEqual({
      code: 'OPERATION_TOO_COSTLY',
      outcome: 'unknown',
    });
  });

  // security: aliased-text
  test.each([
    ['control characters, which are written as six', '\u0001', 1_000_000],
    ['characters of three bytes', '漢', 2_000_000],
  ])('is judged by its bytes: %s', async (_, character, count) => {
    await using gateway = await startScripted({
      'GET /v1/messages/m1': wireMessage('m1', { message: character.repeat(count) }),
    });

    const two = await gateway.ask('{ message(id: "m1") { a: message b: message } }');
    const three = await gateway.ask(
      '{ message(id: "m1") { a: message b: message c: message } }',
    );

    expect(two.data.message.b).toHaveLength(count);
    expect(codes(three)).toEqual({ message: 'OPERATION_TOO_COSTLY' });
  });
});

test('a list that does not fit into the answer takes no room from later ones', async () => {
  const names = Array.from({ length: 100_000 }, (_, index) => [`r${index}`, ['ann']]);

  const answer = await askOnce(
    `{ long: message(id: "m1") { reactions { ${aliases(20, 'name')} } }
       short: message(id: "m2") { attachments reactions { name usernames } } }`,
    {
      'GET /v1/messages/m1': wireMessage('m1', {
        reactions: [Object.fromEntries(names)],
      }),
      'GET /v1/messages/m2': wireMessage('m2', { reactions: [{ heart: ['ann'] }] }),
    },
  );

  expect(answer.data).toEqual({
    long: null,
    short: { attachments: [], reactions: [{ name: 'heart', usernames: ['ann'] }] },
  });
  expect(answer.codes).toEqual({ 'long.reactions': 'OPERATION_TOO_COSTLY' });
});

test('an answer of megabytes to a long request passes whole, compressed or not, and Node warns of nothing', async () => {
  const warnings: Error[] = [];
  const keep = (warning: Error) => warnings.push(warning);
  process.on('warning', keep);
  onTestFinished(() => void process.off('warning', keep));
  // An odd number of characters before pairs of surrogates, so that parts of any even length would split one.
  const message = `x${'😀漢'.repeat(200_000)}`;
  await using gateway = await startScripted({
    'GET /v1/messages/m1': wireMessage('m1', { message }),
  });

  for (const encoding of ['identity', 'gzip']) {
    const { data } = await gateway.ask(
      `{ message(id: "m1") { a: message b: message } } #${' '.repeat(20_000)}`,
      { headers: { 'accept-encoding': encoding } },
    );

    expect(data.message.a === message && data.message.b === message).toBe(true);
  }
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
});

describe('what one operation reads', () => {
  // security: long-answers
  test('is at most 32 MiB of answers: later fields fail alone', async () => {
    const page = JSON.stringify(
      wirePage([wireMessage('m1', { message: 'x'.repeat(2 * MIB) })]),
    );
    const fields = repeat(
      30,
      (at) => `a${at}: messages(conversationId: "c${at}", first: 1) { nodes { id } }`,
    );

    const answer = await askOnce(`{ ${fields} }`, answering({ body: page }), {
      // One answer arrives at a time: parts of several would share what is left, and none of them might fit.
      env: {
        REST_CONNECTIONS: '1',
        REST_TIMEOUT_MS: '600000',
        OPERATION_TIMEOUT_MS: '600000',
      },
    });

    const kept = Object.values(answer.data).filter((value) => value !== null);
    expect(answer.status).toBe(200);
    expect(kept).toHaveLength(Math.floor(MAX_READ / page.length));
    expect(Object.values(answer.codes)).toEqual(
      Array(30 - kept.length).fill('OPERATION_TOO_COSTLY'),
    );
    // Calls that would be given up anyway are not made.
    expect(answer.calls.length).toBeLessThan(kept.length + 5);
  });

  // security: empty-lists
  test('may be fewer bytes if they are millions of values, which take more memory than text', async () => {
    await using gateway = await startScripted(() => ({
      body: JSON.stringify(wireMessage('m1')).replace(
        '"attachments":[]',
        `"attachments":[[${'[],'.repeat(4_000_000)}1]]`,
      ),
    }));

    const answer = await gateway.ask('{ message(id: "m1") { attachments } }');

    expect(codes(answer)).toEqual({ message: 'UPSTREAM_INVALID_RESPONSE' });
    await expect.poll(() => gateway.service.aborted).toHaveLength(1);
  });
});

// security: shared-attachment
test('the forms of one operation are at most 32 MiB: later writes fail alone, without a call', async () => {
  const attachments = [{ ['k'.repeat(8000)]: Array.from({ length: 500 }, () => 1) }];
  const update = 'updateMessage(input: { id: "m1", attachments: $a }) { message { id } }';

  const answer = await askOnce(
    `mutation ($a: [JSON!]) { ${aliases(50, update)} }`,
    answering({ body: wireMessage('m1') }),
    { variables: { a: attachments } },
  );

  const sent = answer.calls.reduce((sum, { form }) => sum + form.length, 0);
  expect(sent).toBeGreaterThan(MAX_FORMS / 2);
  expect(sent).toBeLessThanOrEqual(MAX_FORMS);
  expect(answer.data.a0).toEqual({ message: { id: 'm1' } });
  expect(Object.values(answer.codes)).toEqual(
    Array(50 - answer.calls.length).fill('BAD_USER_INPUT'),
  );
  expect(JSON.stringify(answer.errors).length).toBeLessThan(MIB);
});

// security: long-requests
test.each([
  ['made for each', 1],
  ['kept', 3],
])(
  'the documents of operations that run by hashes leave no room for others, with plans that are %s',
  async (_, times) => {
    const { promise, resolve: end } = Promise.withResolvers<UpstreamAnswer>();
    const env = { REST_TIMEOUT_MS: '60000', OPERATION_TIMEOUT_MS: '60000' };
    await using gateway = await startScripted(() => promise, env);
    let connection: string | null = null;
    const send = async (body: object) => {
      const response = await post(gateway.url, body, { authorization: 'Bearer t' });
      connection = response.headers.get('connection');
      return response.status;
    };
    const running: Promise<number>[] = [];
    let status = 200;
    while (status === 200 && running.length < 34) {
      const query = `query ($runs: Boolean!) { message(id: "${running.length}") @include(if: $runs) { id } } #${' '.repeat(1_000_000)}`;
      const extensions = named(sha256(query));
      status = await send({ query, extensions, variables: { runs: false } });
      for (let time = 1; time < times; time += 1)
        await send({ extensions, variables: { runs: false } });
      if (status === 200) running.push(send({ extensions, variables: { runs: true } }));
      await expect.poll(() => gateway.service.calls.length).toBe(running.length);
    }

    expect(status).toBe(429);
    // Its body has come whole.
    expect(connection).toBe('keep-alive');
    end({ status: 404 });
    expect(new Set(await Promise.all(running))).toEqual(new Set([200]));
  },
);

test('one long document runs any number of times at once: it counts once', async () => {
  const { promise, resolve: end } = Promise.withResolvers<UpstreamAnswer>();
  await using gateway = await startScripted(() => promise);
  const query = `{ message(id: "m") { id } } #${' '.repeat(1_000_000)}`;
  const extensions = named(sha256(query));
  const headers = { authorization: 'Bearer t' };
  const send = async (body: object) => (await post(gateway.url, body, headers)).status;
  const running = [send({ query, extensions })];
  await expect.poll(() => gateway.service.calls.length).toBe(1);
  running.push(send({ extensions }));
  await sleep(50);
  for (let count = 0; count < 100; count += 1) running.push(send({ extensions }));
  await sleep(50);
  end({ status: 404 });

  expect(new Set(await Promise.all(running))).toEqual(new Set([200]));
});

// security: unread-answers
test('clients that do not read make room for others, the slowest first: at most 64 MiB wait to be sent', async () => {
  await using service = await startLongService();
  await using gateway = await startTestGateway(service.url);
  /** Reads until the end, or until the connection breaks. Unit: bytes. */
  const readRest = async (socket: Socket): Promise<number> => {
    let bytes = 0;
    socket.on('data', (part) => {
      bytes += part.length;
    });
    if (!socket.closed) await once(socket, 'close');
    return bytes;
  };

  const sockets: Socket[] = [];
  for (let client = 0; client < 6; client += 1) {
    sockets.push(await askAndWait(gateway.url, LONG_QUERY, `slow-${client}`));
  }
  const read = await Promise.all(sockets.map(readRest));

  const whole = read.map((bytes) => bytes > LONG_ANSWER_BYTES);
  expect(whole).toEqual([false, false, true, true, true, true]);
  expect(await readMetric(gateway, 'gateway_slow_clients_total')).toEqual({
    '{reason="room"}': 2,
  });
});
