import { fastify } from 'fastify';
import { describe, expect, test } from 'vitest';
import { createIncoming } from '../../src/http/incoming.ts';
import { answerShortPosts } from '../../src/http/short-posts.ts';
import type { OperationResponse } from '../../src/operation/request.ts';
import { createOperationTime } from '../../src/rest/time-limit.ts';
import { stranger } from '../support/callers.ts';
import { postRaw, sendRaw } from '../support/http.ts';

type Headers = Readonly<Record<string, string>>;

/** Without Fastify, `ours` is the answer; with it, `Fastify's`. */
async function startBoth() {
  const app = fastify();
  app.addContentTypeParser('*', async () => null);
  app.route({
    url: '/graphql',
    method: ['POST', 'PUT'],
    handler: async () => "Fastify's",
  });
  answerShortPosts(app, {
    run: async () =>
      ({ status: 200, headers: [], body: 'ours' }) as unknown as OperationResponse,
    operationTime: createOperationTime(1000),
    handedOver: new WeakMap(),
    corsOrigins: '*',
    drain: { isDraining: () => false, watch: () => {} },
    inOrder: () => undefined,
    incoming: createIncoming(stranger, 1_000_000),
    sendings: {
      begin() {
        throw new Error('not called');
      },
    },
    together: { later: (run) => run() },
    metrics: null,
  });
  return { app, url: await app.listen({ host: '127.0.0.1', port: 0 }) };
}

describe('Fastify', () => {
  test.each<[string, string, string, Headers]>([
    ['ours', 'a short POST', '{}', {}],
    [
      'ours',
      'one with a charset',
      '{}',
      { 'content-type': 'application/json; charset=utf-8' },
    ],
    ["Fastify's", 'another type', '{}', { 'content-type': 'text/plain' }],
    [
      "Fastify's",
      'another charset',
      '{}',
      { 'content-type': 'application/json; charset=utf-16' },
    ],
    ["Fastify's", 'a long body', `"${'x'.repeat(8191)}"`, {}],
    ["Fastify's", 'a compressed body', '{}', { 'content-encoding': 'gzip' }],
    ["Fastify's", 'a client that reads streams', '{}', { accept: 'text/event-stream' }],
  ])('%s is the answer to %s', async (answer, _name, body, headers) => {
    const { app, url } = await startBoth();

    expect((await postRaw(url, body, headers)).at(-1)).toBe(answer);

    await app.close();
  });

  test.each([
    ['another method', 'PUT /graphql HTTP/1.1'],
    ['another address', 'POST /graphql? HTTP/1.1'],
    ['HTTP/1.0', 'POST /graphql HTTP/1.0'],
  ])('answers %s', async (_name, line) => {
    const { app, url } = await startBoth();

    const answer = await sendRaw(
      url,
      `${line}\r\nhost: a\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
    );
    expect(answer).toContain("Fastify's");

    await app.close();
  });
});
