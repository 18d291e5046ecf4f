import { describe, expect, test } from 'vitest';
import { codes, startTestGateway } from '../support/gateway.ts';
import { startUpstream, type UpstreamAnswer } from '../support/upstream.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

const MIB = 2 ** 20;
/** With the default settings. */
const MAX_ANSWER = 16 * MIB;
const MAX_READ = 32 * MIB;
const MAX_FORMS = 32 * MIB;

const aliases = (count: number, field: string) =>
  Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ');

const bytesOf = (json: unknown) => Buffer.byteLength(JSON.stringify(json));

describe('an answer that would be longer than 16 MiB', () => {
  const big = wireMessage('m1', { message: 'x'.repeat(600_000) });
  const start = () =>
    startUpstream({
      'GET /v1/messages/m1': big,
      'GET /v1/messages/m2': wireMessage('m2'),
      'PUT /v1/messages/m1': big,
    });

  test('has null for the field that does not fit, and keeps the others', async () => {
    await using upstream = await start();
    await using gateway = await startTestGateway(upstream.url);

    const answer = await gateway.ask(
      `{ message(id: "m1") { ${aliases(990, 'message')} } other: message(id: "m2") { message } }`,
    );

    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({ message: null, other: { message: 'text m2' } });
    expect(codes(answer)).toEqual({ message: 'OPERATION_TOO_COSTLY' });
    expect(answer.errors?.[0]?.message).toContain(`${MAX_ANSWER} bytes`);
  });

  test('keeps as many fields as fit', async () => {
    await using upstream = await start();
    await using gateway = await startTestGateway(upstream.url);

    const answer = await gateway.ask(
      `{ ${aliases(60, 'message(id: "m1") { message }')} }`,
    );

    const kept = Object.values(answer.data).filter((value) => value !== null);
    expect(kept).toHaveLength(Math.floor(MAX_ANSWER / 600_000));
    expect(answer.errors).toHaveLength(60 - kept.length);
  });

  test('is judged in a time that does not grow with the fields that do not fit', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': wireMessage('m1', { message: 'x'.repeat(9 * MIB) }),
    });
    await using gateway = await startTestGateway(upstream.url);

    const answer = await gateway.ask(
      `{ ${aliases(900, 'message(id: "m1") { message }')} }`,
    );

    expect(answer.data.a0.message).toHaveLength(9 * MIB);
    expect(answer.errors).toHaveLength(899);
  });

  test('is null as a whole if the field cannot be null', async () => {
    await using upstream = await start();
    await using gateway = await startTestGateway(upstream.url);
    const nodeId = Buffer.from('Message:m1').toString('base64url');

    const answer = await gateway.ask(
      'query ($ids: [ID!]!) { list: nodes(nodeIds: $ids) { ...on Message { message } } }',
      { variables: { ids: Array.from({ length: 100 }, () => nodeId) } },
    );

    expect(answer.status).toBe(200);
    expect(answer.data).toBeNull();
    expect(codes(answer)).toEqual({ list: 'OPERATION_TOO_COSTLY' });
  });

  test('says of a write that it may have been carried out', async () => {
    await using upstream = await start();
    await using gateway = await startTestGateway(upstream.url);

    const { data, errors } = await gateway.ask(
      `mutation { updateMessage(input: { id: "m1", message: "x" }) { message { ${aliases(40, 'message')} } } }`,
    );

    expect(data).toEqual({ updateMessage: null });
    expect(errors?.[0]?.extensions).toEqual({
      code: 'OPERATION_TOO_COSTLY',
      outcome: 'unknown',
    });
  });

  test.each([
    ['control characters, which are written as six', '\u0001', 3_000_000],
    ['characters of three bytes', '漢', 6_000_000],
  ])('is judged by its bytes: %s', async (_what, character, count) => {
    const message = character.repeat(count);
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': wireMessage('m1', { message: message.slice(0, count / 3) }),
    });
    await using gateway = await startTestGateway(upstream.url);

    const two = await gateway.ask('{ message(id: "m1") { a: message b: message } }');
    const three = await gateway.ask(
      '{ message(id: "m1") { a: message b: message c: message } }',
    );

    expect(two.data.message.b).toHaveLength(count / 3);
    expect(codes(three)).toEqual({ message: 'OPERATION_TOO_COSTLY' });
  });
});

test('a list that does not fit into the answer takes no room from later ones', async () => {
  const names = Array.from({ length: 100_000 }, (_, index) => [`r${index}`, ['ann']]);
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1', { reactions: [Object.fromEntries(names)] }),
    'GET /v1/messages/m2': wireMessage('m2', { reactions: [{ heart: ['ann'] }] }),
  });
  await using gateway = await startTestGateway(upstream.url);

  const answer = await gateway.ask(
    `{ long: message(id: "m1") { reactions { ${aliases(20, 'name')} } }
       short: message(id: "m2") { attachments reactions { name usernames } } }`,
  );

  expect(answer.data).toEqual({
    long: null,
    short: { attachments: [], reactions: [{ name: 'heart', usernames: ['ann'] }] },
  });
  expect(codes(answer)).toEqual({ 'long.reactions': 'OPERATION_TOO_COSTLY' });
});

test('an answer of 10 MiB passes whole, compressed or not', async () => {
  // An odd number of characters before pairs of surrogates, so that parts of any even length would split one.
  const message = `x${'😀漢'.repeat(700_000)}`;
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1', { message }),
  });
  await using gateway = await startTestGateway(upstream.url);

  for (const encoding of ['identity', 'gzip', 'br']) {
    const { data } = await gateway.ask(
      '{ message(id: "m1") { a: message b: message } }',
      {
        headers: { 'accept-encoding': encoding },
      },
    );

    expect(data.message.a === message && data.message.b === message).toBe(true);
  }
});

test('a long answer to a long request, compressed, has so few listeners that Node warns of none', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': wireMessage('m1', { message: 'x'.repeat(200_000) }),
  });
  await using gateway = await startTestGateway(upstream.url);
  const warnings: Error[] = [];
  const keep = (warning: Error) => warnings.push(warning);
  process.on('warning', keep);

  const { data } = await gateway.ask(
    `{ message(id: "m1") { message } } #${' '.repeat(20_000)}`,
    { headers: { 'accept-encoding': 'gzip' } },
  );
  await new Promise(setImmediate);
  process.off('warning', keep);

  expect(data.message.message).toHaveLength(200_000);
  expect(warnings).toEqual([]);
});

test('a page of messages with attachments of half a megabyte passes', async () => {
  const attachments = [{ data: 'x'.repeat(500_000) }];
  await using upstream = await startUpstream({
    'GET /v1/messages': wirePage(
      Array.from({ length: 20 }, (_, index) => wireMessage(`m${index}`, { attachments })),
    ),
  });
  await using gateway = await startTestGateway(upstream.url);

  const { data, errors } = await gateway.ask(
    '{ messages(first: 20) { nodes { attachments } } }',
  );

  expect(errors).toBeUndefined();
  expect(data.messages.nodes).toHaveLength(20);
});

describe('what one operation reads', () => {
  test('is at most 32 MiB of answers: later fields fail alone', async () => {
    const page = JSON.stringify(
      wirePage([wireMessage('m1', { message: 'x'.repeat(2 * MIB) })]),
    );
    await using upstream = await startUpstream(() => ({ body: page }));
    // One answer arrives at a time: parts of several would share what is left, and none of them might fit.
    await using gateway = await startTestGateway(upstream.url, { REST_CONNECTIONS: '1' });

    const answer = await gateway.ask(
      `{ ${Array.from({ length: 60 }, (_, index) => `a${index}: messages(conversationId: "c${index}", first: 1) { nodes { id } }`).join(' ')} }`,
    );

    const kept = Object.values(answer.data).filter((value) => value !== null);
    expect(answer.status).toBe(200);
    expect(kept).toHaveLength(Math.floor(MAX_READ / page.length));
    expect(new Set(Object.values(codes(answer)))).toEqual(
      new Set(['OPERATION_TOO_COSTLY']),
    );
    expect(answer.errors).toHaveLength(60 - kept.length);
    // Calls that would be given up anyway are not made.
    expect(upstream.calls.length).toBeLessThan(kept.length + 5);
  });

  test('may be fewer bytes if they are millions of values, which take more memory than text', async () => {
    const body = JSON.stringify(wireMessage('m1')).replace(
      '"attachments":[]',
      `"attachments":[[${'[],'.repeat(4_000_000)}1]]`,
    );
    await using upstream = await startUpstream(() => ({ body }));
    await using gateway = await startTestGateway(upstream.url);

    const answer = await gateway.ask('{ message(id: "m1") { attachments } }');

    expect(codes(answer)).toEqual({ message: 'UPSTREAM_INVALID_RESPONSE' });
    await expect.poll(() => upstream.aborted).toHaveLength(1);
  });
});

test('what all operations hold is bounded: long reads of others are OVERLOADED, short ones are answered', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const half: UpstreamAnswer = {
    async write(response) {
      response.writeHead(200).write('x'.repeat(12 * MIB));
      await released;
      response.end();
    },
  };
  await using upstream = await startUpstream(({ line }) =>
    line.endsWith('/m1') ? { body: wireMessage('m1') } : half,
  );
  await using gateway = await startTestGateway(upstream.url);
  const long = (token: string, id: string) =>
    gateway.ask(`{ message(id: "${id}") { id } }`, { token });

  const asked = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((token) =>
    long(token, 'long'),
  );
  const first = await Promise.race(asked);
  const short = await long('i', 'm1');
  release();
  const answers = await Promise.all(asked);
  const later = await long('a', 'long');

  const refused = answers.filter((answer) => codes(answer).message === 'OVERLOADED');
  expect(codes(first)).toEqual({ message: 'OVERLOADED' });
  expect(first.errors?.[0]?.extensions.retryAfterSeconds).toBe(1);
  expect(short.data).toEqual({ message: { id: 'm1' } });
  // Each would hold 12 of 64 MiB.
  expect(refused.length).toBeGreaterThanOrEqual(3);
  expect(refused.length).toBeLessThan(asked.length);
  // There is room again.
  expect(codes(later)).toEqual({ message: 'UPSTREAM_INVALID_RESPONSE' });
});

test('the forms of one operation are at most 32 MiB: later writes fail alone, without a call', async () => {
  await using upstream = await startUpstream(() => ({ body: wireMessage('m1') }));
  await using gateway = await startTestGateway(upstream.url);
  const attachments = [{ ['k'.repeat(8000)]: Array.from({ length: 500 }, () => 1) }];

  const answer = await gateway.ask(
    `mutation ($a: [JSON!]) { ${aliases(250, 'updateMessage(input: { id: "m1", attachments: $a }) { message { id } }')} }`,
    { variables: { a: attachments } },
  );

  const sent = upstream.calls
    .map(({ form }) => form.length)
    .reduce((sum, one) => sum + one, 0);
  expect(sent).toBeGreaterThan(MAX_FORMS / 2);
  expect(sent).toBeLessThanOrEqual(MAX_FORMS);
  expect(answer.data.a0).toEqual({ message: { id: 'm1' } });
  expect(answer.errors).toHaveLength(250 - upstream.calls.length);
  expect(new Set(Object.values(codes(answer)))).toEqual(new Set(['BAD_USER_INPUT']));
  expect(bytesOf(answer.errors)).toBeLessThan(MIB);
});
