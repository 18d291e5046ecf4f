import { gzipSync } from 'node:zlib';
import express, { type Express } from 'express';
import { fastify } from 'fastify';
import { describe, expect, test } from 'vitest';
import type { Gateway } from '../../src/gateway.ts';
import { ask } from '../support/gateway.ts';
import { NOWHERE, post, sendRaw, serve } from '../support/http.ts';
import { openSocket } from '../support/socket.ts';
import { subscribe } from '../support/subscribe.ts';
import { answering } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';
import {
  createScripted,
  createTestGateway,
  keepLines,
  MESSAGE,
  MESSAGE_DATA,
  PATIENT,
  SILENT,
} from './support.ts';

const SLOW = {
  'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 300 }),
};

/** Each server with the gateway at /graphql. */
const SERVERS = {
  'node:http': (gateway: Gateway) => serve(gateway.handler),
  Express: (gateway: Gateway) =>
    serveExpress((app) => app.use('/graphql', gateway.handler)),
  'Express after json()': (gateway: Gateway) =>
    serveExpress((app) => app.use(express.json()).use('/graphql', gateway.handler)),
  Fastify: async (gateway: Gateway) => {
    // Otherwise it waits for a connection whose last answer the client has, but Node has not noted as sent.
    const app = fastify({ forceCloseConnections: true });
    await app.register(gateway.fastify);
    return {
      url: await app.listen({ port: 0 }),
      [Symbol.asyncDispose]: () => app.close(),
    };
  },
};

function serveExpress(mount: (app: Express) => unknown) {
  const app = express();
  mount(app);
  return serve(app);
}

describe.each(Object.entries(SERVERS))('mounted into %s', (_, serveWith) => {
  test('it answers queries, by POST and by GET, and mutations', async () => {
    await using gateway = await createScripted({
      'GET /v1/messages/m1': wireMessage('m1'),
      'POST /v1/messages': wireMessage('m2'),
    });
    await using server = await serveWith(gateway);

    const posted = await ask(server.url, MESSAGE);
    const got = await fetch(`${server.url}/graphql?query=${encodeURI(MESSAGE)}`, {
      headers: { authorization: 'Bearer bob-token' },
    });
    const sent = await ask(
      server.url,
      'mutation { sendMessage(input: { conversationId: "c1", message: "é" }) { message { id } } }',
    );

    expect(posted.data).toEqual(MESSAGE_DATA);
    expect(await got.json()).toEqual({ data: MESSAGE_DATA });
    expect(sent.data).toEqual({ sendMessage: { message: { id: 'm2' } } });
    expect(gateway.service.calls.map(({ token }) => token)).toEqual([
      'Bearer ann-token',
      'Bearer bob-token',
      'Bearer ann-token',
    ]);
    expect(posted.headers.get('cache-control')).toBe('no-store');
    expect(posted.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
  });

  // security: other-ways-in
  test('it keeps the bounds and refusals of the gateway', async () => {
    await using gateway = await createTestGateway(NOWHERE);
    await using server = await serveWith(gateway);
    const status = async (body: unknown, headers = {}) =>
      (await post(server.url, body, headers)).status;

    expect(
      await status({ query: '{ __typename }' }, { 'content-type': 'text/plain' }),
    ).toBe(415);
    expect(await status('{ "query": ')).toBe(400);
    expect(await status({ query: '{ nothing }' })).toBe(400);
    expect(await status({ query: `{ a }${' '.repeat(1_100_000)}` })).toBe(413);
    expect(
      (await ask(server.url, MESSAGE, { token: null })).errors?.[0]?.extensions.code,
    ).toBe('UNAUTHENTICATED');
  });

  test('it answers browsers: preflight requests and the explorer', async () => {
    await using gateway = await createTestGateway(NOWHERE);
    await using server = await serveWith(gateway);

    const preflight = await fetch(`${server.url}/graphql`, {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' },
    });
    const page = await fetch(`${server.url}/graphql`, {
      headers: { accept: 'text/html' },
    });
    const text = await page.text();
    const [, script = 'none'] = /<script type="module" src="([^"]+)"/.exec(text) ?? [];
    const file = await fetch(new URL(script, page.url));

    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(page.headers.get('content-type')).toContain('text/html');
    // Below the path of the gateway, where the other server has nothing of its own.
    expect(page.url).toBe(`${server.url}/graphql/`);
    expect(new URL(file.url).pathname).toBe('/graphql/explorer/start.js');
    expect([file.status, file.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('javascript'),
    ]);
    expect(
      (await post(page.url.replace(/\/graphql\/$/, ''), { query: '{ __typename }' }))
        .status,
    ).toBe(200);
  });

  // security: leaving-clients, write-after-leaving
  test('a client that leaves ends the calls to the service', async () => {
    await using gateway = await createScripted(SILENT, PATIENT);
    await using server = await serveWith(gateway);
    const control = new AbortController();
    const asked = ask(server.url, MESSAGE, { signal: control.signal }).catch(() => null);
    await expect.poll(() => gateway.service.calls.length).toBe(1);

    control.abort();
    await asked;

    await expect.poll(() => gateway.service.aborted).toEqual(['GET /v1/messages/m1']);
  });

  test('close lets running operations finish, and refuses later ones with 503', async () => {
    await using gateway = await createScripted(SLOW);
    await using server = await serveWith(gateway);
    const running = ask(server.url, MESSAGE);
    await expect.poll(() => gateway.service.calls.length).toBe(1);

    const closed = gateway.close();
    const late = await ask(server.url, MESSAGE);
    await closed;

    expect((await running).data).toEqual(MESSAGE_DATA);
    expect({ status: late.status, code: late.errors?.[0]?.extensions.code }).toEqual({
      status: 503,
      code: 'OVERLOADED',
    });
    expect(late.headers.get('retry-after')).toBe('1');
    expect(late.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
    expect(late.headers.get('x-content-type-options')).toBe('nosniff');
    expect(late.headers.get('access-control-allow-origin')).toBe('*');
    expect(await gateway.metrics()).toContain(
      'gateway_http_responses_total{route="/graphql",status="503"} 1',
    );
  });

  test('subscriptions are streamed, and end without complete when the gateway is closed', async () => {
    await using gateway = await createScripted(
      { 'GET /v1/conversations': { data: [wireConversation('c1')], has_more: false } },
      { livePollMs: 100 },
    );
    await using server = await serveWith(gateway);
    await using subscription = await subscribe(
      server.url,
      'subscription { conversationChanged { kind } }',
    );
    await expect.poll(() => gateway.service.calls.length).toBeGreaterThan(0);

    await gateway.close();

    expect(subscription.headers.get('content-type')).toContain('text/event-stream');
    expect(await subscription.ended).toBe('cut');
  });
});

describe('mounted into Express', () => {
  const PLACES: [string, (app: Express, gateway: Gateway) => unknown, string][] = [
    ['use at the root', (app, { handler }) => app.use(handler), '/graphql'],
    ['use below a path', (app, { handler }) => app.use('/api', handler), '/api/graphql'],
    ['use at another path', (app, { handler }) => app.use('/gql', handler), '/gql'],
    ['a route', (app, { handler }) => app.post('/:tenant/gql', handler), '/a/gql'],
    [
      'a router',
      (app, { handler }) => app.use('/a', express.Router().use('/b', handler)),
      '/a/b/graphql',
    ],
  ];

  test.each(PLACES)('with %s, it leaves other paths alone', async (_, mount, path) => {
    await using gateway = await createScripted();
    await using server = await serveExpress((app) => {
      mount(app, gateway);
      app.use((request, response) => {
        response.status(418).json({ url: request.url });
      });
    });
    const statusOf = async (other: string) => (await fetch(server.url + other)).status;

    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer t' },
      body: JSON.stringify({ query: MESSAGE }),
    });

    expect(await response.json()).toEqual({ data: MESSAGE_DATA });
    for (const other of ['/', '/healthz', '/metrics', '/api/users', '/graphqlx']) {
      expect([other, await statusOf(other)]).toEqual([other, 418]);
    }
  });

  test.each([
    ['text() for every type', express.text({ type: () => true }), 200],
    ['raw() for every type', express.raw({ type: () => true }), 200],
    ['a middleware that reads and drops it', dropBody, 400],
  ])('a body that was read by %s is answered', async (_, middleware, status) => {
    await using gateway = await createScripted();
    await using server = await serveExpress((app) =>
      app.use(middleware).use('/graphql', gateway.handler),
    );

    const answer = await ask(server.url, MESSAGE);

    expect(answer.status).toBe(status);
    if (status === 200) expect(answer.data).toEqual(MESSAGE_DATA);
    else expect(answer.errors?.[0]?.extensions.code).toBe('BAD_REQUEST');
  });

  test('the application sees the whole address of a request, also afterwards', async () => {
    const seen: unknown[] = [];
    await using gateway = await createScripted();
    await using server = await serveExpress((app) => {
      app.use((request, response, next) => {
        response.once('finish', () => seen.push(request.originalUrl));
        next();
      });
      app.use('/api', gateway.handler);
    });

    await fetch(`${server.url}/api/graphql?query={__typename}`, {
      headers: { authorization: 'Bearer t' },
    });

    await expect.poll(() => seen).toEqual(['/api/graphql?query={__typename}']);
  });
});

/** Reads a body and keeps nothing of it. */
const dropBody: express.RequestHandler = (request, _response, next) => {
  request.resume().once('end', () => next());
};

describe('mounted into Fastify', () => {
  test.each([
    [{ prefix: '/api' }, '/api/graphql'],
    [{ prefix: '/graphql' }, '/graphql'],
    [{ prefix: '/api', path: '/gql' }, '/api/gql'],
  ])('with %j, it answers at %s', async (options, path) => {
    await using gateway = await createScripted();
    await using app = fastify();
    await app.register(gateway.fastify, options);

    const response = await app.inject({
      method: 'POST',
      url: path,
      headers: { authorization: 'Bearer t' },
      payload: { query: MESSAGE },
    });

    expect(response.json()).toEqual({ data: MESSAGE_DATA });
  });

  test('a request has the id that it has in the application', async () => {
    await using gateway = await createScripted();
    let last = 0;
    await using app = fastify({
      genReqId() {
        last += 1;
        return `app-${last}`;
      },
    });
    await app.register(gateway.fastify);
    const url = await app.listen({ port: 0 });

    const { headers } = await ask(url, MESSAGE, { headers: { 'x-request-id': 'mine' } });

    expect(headers.get('x-request-id')).toBe('app-1');
  });

  // security: other-ways-in
  test('the application keeps its plugins, parsers, routes and error answers', async () => {
    await using gateway = await createScripted();
    await using app = fastify();
    app.addContentTypeParser(
      'text/csv',
      { parseAs: 'string' },
      async (_request: unknown, body: string) => body.split(','),
    );
    // As plugins for CORS and for compression do.
    app.addHook('onRequest', async (request, reply) => {
      reply.header('access-control-allow-origin', 'https://only.example');
      reply.header('x-limit-left', '7');
      if (request.headers['x-blocked'])
        throw Object.assign(new Error('blocked'), { statusCode: 403 });
    });
    app.addHook('onSend', async (_request, reply, payload) => {
      reply.header('content-encoding', 'gzip').removeHeader('content-length');
      return gzipSync(String(payload));
    });
    app.setNotFoundHandler((_request, reply) => reply.code(404).send('nothing of mine'));
    await app.register(gateway.fastify);
    app.get('/healthz', () => 'mine');
    app.post('/csv', ({ body }) => body);
    const url = await app.listen({ port: 0 });

    const answer = await ask(url, MESSAGE);
    const zipped = await post(url, gzipSync(JSON.stringify({ query: MESSAGE })), {
      'content-encoding': 'gzip',
      authorization: 'Bearer t',
    });
    const bomb = await post(url, gzipSync(' '.repeat(20_000_000)), {
      'content-encoding': 'gzip',
    });
    const corrupt = await post(url, 'no gzip', { 'content-encoding': 'gzip' });
    const blocked = await ask(url, MESSAGE, { headers: { 'x-blocked': '1' } });
    const csv = await fetch(`${url}/csv`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: 'a,b',
    });

    expect(answer.data).toEqual(MESSAGE_DATA);
    expect(answer.headers.get('x-limit-left')).toBe('7');
    expect(await zipped.json()).toEqual({ data: MESSAGE_DATA });
    expect(bomb.status).toBe(413);
    expect(corrupt.status).toBe(400);
    expect(blocked).toMatchObject({ status: 403, message: 'blocked' });
    expect(await csv.json()).toEqual(['a', 'b']);
    expect(await (await fetch(`${url}/healthz`)).text()).toBe('mine');
    expect(await (await fetch(`${url}/nothing`)).text()).toBe('nothing of mine');
  });
});

describe('a body that the host has parsed, and that cannot be written as JSON again', () => {
  let deep: unknown = [];
  for (let level = 0; level < 20_000; level += 1) deep = [deep];
  const throwing = {
    toJSON() {
      throw new Error('secret');
    },
  };

  // security: parsed-body
  test.each<[string, unknown]>([
    ['is nested 20,000 deep', { query: '{ a }', variables: deep }],
    ['has a toJSON that throws', throwing],
  ])('is refused with 400: it %s', async (_, body) => {
    await using gateway = await createTestGateway(NOWHERE);
    await using server = await serve(async (request, response) => {
      await request.toArray();
      gateway.handler(Object.assign(request, { body }), response);
    });

    const response = await post(server.url, { query: '{ __typename }' });

    expect(response.status).toBe(400);
    expect(response.headers.get('x-request-id')).not.toBeNull();
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'BAD_REQUEST' } }],
    });
  });
});

// security: parsed-body
test('nothing is thrown at the host, whatever it made of the request', async () => {
  await using gateway = await createTestGateway(NOWHERE);
  const thrown: unknown[] = [];
  await using server = await serve((request, response) => {
    const parsed = Object.defineProperty(request, 'body', {
      get() {
        throw new Error('secret');
      },
    });
    try {
      if (request.method === 'POST') {
        request.resume().on('end', () => gateway.handler(parsed, response));
      } else {
        request.url = '/\n\u20ac';
        gateway.handler(request, response);
      }
    } catch (error) {
      thrown.push(error);
    }
  });
  server.server.on('upgrade', (request, socket, head) => {
    try {
      gateway.upgrade(request, socket, head);
      gateway.upgrade(request, socket, head);
    } catch (error) {
      thrown.push(error);
    }
  });

  const page = await fetch(server.url, { headers: { accept: 'text/html' } });
  expect(page.status).toBe(500);
  expect(await page.json()).toMatchObject({
    errors: [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
  });
  await expect(openSocket(server.url)).resolves.toBeDefined();
  expect(thrown).toEqual([]);
});

// security: open-redirect
test.each(['/https:other.example', '//other.example', '/a/javascript:alert(1)'])(
  'a browser is never sent from %s to another server',
  async (path) => {
    await using gateway = await createTestGateway(NOWHERE);
    await using server = await serve(gateway.handler);

    const head = await sendRaw(
      server.url,
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nConnection: close\r\n\r\n`,
    );

    const [, location = 'none'] = /^location: (.*)$/im.exec(head) ?? [];
    expect(new URL(location.trim(), `http://x${path}`).href).toBe(
      new URL(`http://x${path}/`).href,
    );
    expect(head).toMatch(/^x-request-id: [\w-]{36}\r$/im);
  },
);

test('WebSockets are served at any path, and closed with 1012 when the gateway is closed', async () => {
  await using gateway = await createScripted();
  await using server = await serve((_request, response) => response.end('mine'));
  server.server.on('upgrade', gateway.upgrade);
  using socket = await openSocket(`${server.url}/api`);

  socket.subscribe('1', MESSAGE);
  const messages = [await socket.next(), await socket.next()];
  await gateway.close();

  expect(messages.map((message) => message?.type)).toEqual(['next', 'complete']);
  expect(messages[0]?.payload).toEqual({ data: MESSAGE_DATA });
  expect(await socket.closed).toBe(1012);
  expect(await (await fetch(server.url)).text()).toBe('mine');
  expect(gateway.service.calls[0]?.token).toBe('Bearer ann-token');

  using late = await openSocket(server.url, { init: false });
  expect(await late.closed).toBe(1012);
});

test('a subscription whose start cannot be logged is not left behind', async () => {
  const { logger } = keepLines();
  const failing = {
    ...logger,
    info(_entry: unknown, message?: string) {
      if (message === 'operation') throw new Error('the disk is full');
    },
  };
  await using gateway = await createScripted(() => ({ body: wirePage([]) }), {
    logger: failing,
  });
  await using server = await serve(gateway.handler);

  await using live = await subscribe(
    server.url,
    'subscription { messageChanged(conversationId: "c1") { kind } }',
  );

  expect(live.status).toBe(500);
  expect(await gateway.metrics()).toContain('gateway_live_subscriptions 0\n');
  expect(await gateway.metrics()).toContain('gateway_live_watches 0\n');
});
