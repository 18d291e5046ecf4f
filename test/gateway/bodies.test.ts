import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startScripted, startTestGateway } from '../support/gateway.ts';
import {
  NOWHERE,
  openConnection,
  post,
  sendRaw,
  toHead,
  toPost,
} from '../support/http.ts';
import { readMetric } from '../support/metrics.ts';
import { answering } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const CHUNKED = { 'Transfer-Encoding': 'chunked' };
const TYPENAME = '{"query":"{ __typename }"}';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Starts a gateway, and a connection to it. */
async function startConnected() {
  const gateway = await startTestGateway(NOWHERE);
  const connection = await openConnection(gateway.url);
  return {
    ...connection,
    async [Symbol.asyncDispose]() {
      connection.socket.destroy();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

describe('a body', () => {
  // security: many-chunks
  test.each(['/graphql', '/nothing'])(
    'in thousands of tiny chunks is refused, and its connection closed: %s',
    async (path) => {
      await using connected = await startConnected();

      connected.socket.write(toHead(CHUNKED, path) + chunk(' ').repeat(10_000));

      await expect.poll(connected.isClosed).toBe(true);
      expect(connected.received()).toMatch(/^HTTP\/1\.1 (413|404) /);
    },
  );

  test.each([
    ['1,000 chunks of one byte', 1, 1000],
    ['5,000 chunks of 150 bytes', 150, 5000],
    ['250 chunks of 4 KB', 4096, 250],
  ])('in %s is read', async (_, size, count) => {
    await using connected = await startConnected();

    connected.socket.write(
      toHead(CHUNKED) +
        chunk(TYPENAME) +
        chunk(' '.repeat(size)).repeat(count) +
        chunk(''),
    );

    await expect.poll(connected.received).toMatch(/"Query"/);
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['X-GZip', gzipSync],
    ['identity', (bytes: Buffer) => bytes],
  ])('may be compressed with %s, within its bounds', async (encoding, compress) => {
    await using gateway = await startTestGateway(NOWHERE);
    const headers = { 'content-encoding': encoding };
    const send = (text: string, more = {}) =>
      post(gateway.url, compress(Buffer.from(text)), { ...headers, ...more });

    const read = await send(TYPENAME);
    const long = await send(TYPENAME + ' '.repeat(1_000_000));
    const bomb = await send(TYPENAME + ' '.repeat(2_000_000));
    const junk = await post(gateway.url, '{{{', headers);
    const twice = await send(TYPENAME, {
      'content-encoding': `${encoding}, ${encoding}`,
    });

    expect(await read.json()).toEqual({ data: { __typename: 'Query' } });
    expect(await bomb.json()).toMatchObject({
      errors: [{ extensions: { code: 'BAD_REQUEST' } }],
    });
    expect([long, bomb, junk, twice].map(({ status }) => status)).toEqual([
      200, 413, 400, 415,
    ]);
  });

  // If it closed the connection instead, a client that still sends might lose the answer, and a proxy would make it a 502.
  // security: huge-body, unreadable-requests
  test('that is too long gets its 413, and its client can use the connection again', async () => {
    await using connected = await startConnected();
    const { socket, statuses } = connected;
    const half = 'x'.repeat(2 ** 20);

    socket.write(toHead({ 'Content-Length': `${2 * half.length}` }) + half);
    await expect.poll(statuses).toEqual(['413']);
    socket.write(half + toPost('{ __typename }'));

    await expect.poll(statuses).toEqual(['413', '200']);
  });

  // security: huge-body
  test.each([CHUNKED, { 'Content-Length': '100000000' }])(
    'without an end is not read further: %j',
    async (headers) => {
      await using connected = await startConnected();

      connected.socket.write(toHead(headers) + chunk('x'.repeat(2 ** 21)));

      await expect.poll(connected.isClosed).toBe(true);
    },
  );

  // security: opening-brackets
  test('of more than 1,000 levels is refused before it is read, if it is long', async () => {
    await using gateway = await startTestGateway(NOWHERE);
    const ask = async (levels: number) => {
      const nested = `${'['.repeat(levels)}"${'['.repeat(10_000)}"${']'.repeat(levels)}`;
      const unused = `{"query":"{ __typename }","variables":{"unused":[${nested},{},[]]}}`;
      const response = await post(gateway.url, unused);
      return { status: response.status, answer: await response.json() };
    };

    expect((await ask(997)).status).toBe(200);
    expect(await ask(998)).toEqual({
      status: 400,
      answer: {
        errors: [
          {
            message:
              'The request could not be read: the body must be JSON in UTF-8, of at most 1000 levels.',
            extensions: { code: 'BAD_REQUEST' },
          },
        ],
      },
    });
  });

  // security: proto-keys
  test('may have keys such as __proto__, which do not change Object.prototype', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    const { status } = await post(
      gateway.url,
      `{
        "query": "{ __typename }",
        "variables": { "__proto__": { "polluted": 1 }, "constructor": { "prototype": { "polluted": 1 } } },
        "extensions": { "__proto__": { "polluted": 1 } },
        "__proto__": { "polluted": 1 }
      }`,
    );

    expect(status).toBe(200);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('bodies that never end', () => {
  const begin = async (url: string) => {
    const connection = await openConnection(url);
    connection.socket.write(toHead({ 'Content-Length': '1048576' }));
    // As much as is needed for a buffer of the whole length.
    connection.socket.write(' '.repeat(600_000));
    return connection;
  };

  // security: unfinished-bodies
  test('make room after a second: the oldest are answered 429 and closed, and others are served', async () => {
    await using gateway = await startTestGateway(NOWHERE);
    const all: Awaited<ReturnType<typeof begin>>[] = [];
    for (let count = 0; count < 40; count += 1) {
      if (count === 30) await sleep(1100);
      all.push(await begin(gateway.url));
    }
    const closed = () => all.filter(({ isClosed }) => isClosed());

    // All may hold 32 MiB, and each holds a megabyte.
    await expect.poll(() => closed().length).toBeGreaterThanOrEqual(8);
    expect(closed().length).toBeLessThan(20);
    expect(closed()[0]?.received()).toMatch(
      /^HTTP\/1\.1 429 .*retry-after: 1\r\n.*"code":"OVERLOADED"/is,
    );
    expect([all[0]?.isClosed(), all[39]?.isClosed()]).toEqual([true, false]);
    const long = await post(gateway.url, TYPENAME + ' '.repeat(900_000));
    expect(long.status).toBe(200);
    for (const { socket } of all) socket.destroy();
  });
});

describe('several requests over one connection', () => {
  test('are answered if they come in one moment, and so are those before an unreadable one', async () => {
    await using gateway = await startTestGateway(NOWHERE);
    const typename = toPost('{__typename}');
    const last = toPost('{__typename}', { Connection: 'close' });

    // Its plan is kept when it is sent for the second time.
    for (const _ of [1, 2]) await gateway.ask('{__typename}');
    const many = await sendRaw(gateway.url, typename.repeat(64) + last);
    const broken = await sendRaw(gateway.url, `${typename}${typename}no request\r\n\r\n`);

    expect(many.match(/HTTP\/1\.1 \d+/g)).toEqual(Array(65).fill('HTTP/1.1 200'));
    expect(broken.match(/HTTP\/1\.1 \d+/g)).toEqual([
      'HTTP/1.1 200',
      'HTTP/1.1 200',
      'HTTP/1.1 400',
    ]);
  });

  test('are all answered if the gateway stops meanwhile', async () => {
    await using gateway = await startScripted({
      'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 300 }),
      'PUT /v1/messages/m1': wireMessage('m1'),
    });
    const write = toPost(
      'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { id } } }',
    );

    const answered = sendRaw(
      gateway.url,
      toPost('{ message(id: "m1") { id } }') + write + write,
    );
    await expect.poll(() => gateway.service.calls.length).toBe(3);
    await gateway.close();

    expect((await answered).match(/HTTP\/1\.1 200/g)).toHaveLength(3);
  });
});

test('only answers that were sent are counted', async () => {
  await using gateway = await startScripted({
    'GET /v1/messages/m1': answering({ delayMs: 60_000 }),
  });
  const { service } = gateway;
  const controller = new AbortController();
  const asked = gateway.ask('{ message(id: "m1") { id } }', {
    signal: controller.signal,
  });
  await expect.poll(() => service.calls.length).toBe(1);

  controller.abort();
  await expect(asked).rejects.toThrow();
  await expect.poll(() => service.aborted.length).toBe(1);
  await gateway.ask('{ __typename }');

  const counted = await readMetric(gateway, 'gateway_http_responses_total');
  expect(counted).toMatchObject({ '{route="/graphql",status="200"}': 1 });
});
