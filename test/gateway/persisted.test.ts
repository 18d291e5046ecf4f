import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { run } from '../support/command.ts';
import { type GraphqlAnswer, startTestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const READ = 'query Read($id: ID!) { message(id: $id) { message } }';
const OTHER = 'query Read($id: ID!) { message(id: $id) { id message } }';
const VARIABLES = { id: 'm1' };
const ANSWER = { data: { message: { message: 'text m1' } } };

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const named = (hash: unknown) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash: hash } },
  variables: VARIABLES,
});

const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file that holds this, as JSON unless it is text. */
function write(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const startService = () => startUpstream({ 'GET /v1/messages/m1': wireMessage('m1') });

async function post(url: string, body: object, accept = '*/*') {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer t', accept },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as GraphqlAnswer;
  return { status: response.status, answer, code: answer.errors?.[0]?.extensions.code };
}

describe('a persisted operation', () => {
  test('is unknown, then registered with its text, then known by its hash, also to a GET', async () => {
    await using upstream = await startService();
    await using gateway = await startTestGateway(upstream.url);
    const byHash = named(sha256(READ));
    const query = new URLSearchParams({
      extensions: JSON.stringify(byHash.extensions),
      variables: JSON.stringify(byHash.variables),
    });

    const missed = await post(gateway.url, byHash);
    const registered = await post(gateway.url, { ...byHash, query: READ });
    const hit = await post(gateway.url, byHash);
    const got = await fetch(`${gateway.url}/graphql?${query}`, {
      headers: { authorization: 'Bearer t' },
    });

    expect(missed).toMatchObject({ status: 400, code: 'PERSISTED_QUERY_NOT_FOUND' });
    expect(registered.answer).toEqual(ANSWER);
    expect(hit.answer).toEqual(ANSWER);
    expect(await got.json()).toEqual(ANSWER);
    expect(upstream.calls).toHaveLength(3);
  });

  test('is 200 while unknown for a client that knows plain JSON alone', async () => {
    await using gateway = await startTestGateway('http://127.0.0.1:1');

    const missed = await post(gateway.url, named(sha256(READ)), 'application/json');

    expect(missed).toMatchObject({ status: 200, code: 'PERSISTED_QUERY_NOT_FOUND' });
  });

  test.each([[undefined], [null], [7], [['x']], [{ toString: 1, valueOf: 1 }]])(
    'is unknown by a hash that is no text: %j',
    async (hash) => {
      await using gateway = await startTestGateway('http://127.0.0.1:1');

      const asked = await post(gateway.url, named(hash));

      expect(asked).toMatchObject({ status: 400, code: 'PERSISTED_QUERY_NOT_FOUND' });
    },
  );

  test('is not registered under a hash that is not its own', async () => {
    await using upstream = await startService();
    await using gateway = await startTestGateway(upstream.url);

    const forged = await post(gateway.url, { ...named(sha256(READ)), query: OTHER });
    const asked = await post(gateway.url, named(sha256(READ)));

    expect(forged.status).toBe(400);
    expect(asked.code).toBe('PERSISTED_QUERY_NOT_FOUND');
    expect(upstream.calls).toEqual([]);
  });

  test.each([
    ['a document that is refused', '{ '.repeat(3).concat('a')],
    ['a document that is too wide', `{ ${'a: __typename '.repeat(1001)} }`],
  ])('is not %s', async (_what, query) => {
    await using gateway = await startTestGateway('http://127.0.0.1:1');
    await post(gateway.url, { ...named(sha256(query)), query });

    const asked = await post(gateway.url, named(sha256(query)));

    expect(asked.code).toBe('PERSISTED_QUERY_NOT_FOUND');
  });
});

const RELAY = { [sha256(READ)]: READ };
const APOLLO = {
  format: 'apollo-persisted-query-manifest',
  version: 1,
  operations: [{ id: sha256(READ), name: 'Read', type: 'query', body: READ }],
};

describe('with TRUSTED_DOCUMENTS', () => {
  test.each([
    ["Relay's", 'relay.json', RELAY],
    ["Apollo's", 'apollo.json', APOLLO],
    ["Relay's with ids of its own", 'ids.json', { 'read-1': READ }],
  ])(
    'a document of %s manifest runs, named or sent whole',
    async (_whose, file, manifest) => {
      await using upstream = await startService();
      await using gateway = await startTestGateway(upstream.url, {
        TRUSTED_DOCUMENTS: write(file, manifest),
      });

      const answers = await Promise.all([
        post(gateway.url, named(sha256(READ))),
        post(gateway.url, { query: READ, variables: VARIABLES }),
        post(gateway.url, { ...named(sha256(READ)), query: READ }),
      ]);

      expect(answers.map(({ answer }) => answer)).toEqual([ANSWER, ANSWER, ANSWER]);
    },
  );

  test.each([
    ['documentId', { documentId: `sha256:${sha256(READ)}` }],
    ["Relay's id", { id: 'read-1', query: null }],
    ['a hash of its own kind', named('read-1')],
  ])('a document may be named by %s', async (_how, name) => {
    await using upstream = await startService();
    await using gateway = await startTestGateway(upstream.url, {
      TRUSTED_DOCUMENTS: write('named.json', { 'read-1': READ }),
    });

    const { answer } = await post(gateway.url, { ...name, variables: VARIABLES });

    expect(answer).toEqual(ANSWER);
  });

  test.each([
    ['another document', { query: OTHER, variables: VARIABLES }],
    ['the same with a space more', { query: `${READ} `, variables: VARIABLES }],
    ['another one with its hash', { ...named(sha256(OTHER)), query: OTHER }],
    ['one that is not valid', { query: '{ secretField }' }],
    ['introspection', { query: '{ __schema { queryType { name } } }' }],
  ])('%s is refused before any call, again and again', async (_what, body) => {
    await using upstream = await startService();
    await using gateway = await startTestGateway(upstream.url, {
      TRUSTED_DOCUMENTS: write('relay.json', RELAY),
    });

    const first = await post(gateway.url, body);
    const second = await post(gateway.url, body);
    const plain = await post(gateway.url, body, 'application/json');

    expect(first).toMatchObject({ status: 400, code: 'DOCUMENT_NOT_TRUSTED' });
    expect(second).toEqual(first);
    expect(plain).toMatchObject({ status: 200, code: 'DOCUMENT_NOT_TRUSTED' });
    expect(upstream.calls).toEqual([]);
  });

  test('a document that was refused is not registered', async () => {
    await using gateway = await startTestGateway('http://127.0.0.1:1', {
      TRUSTED_DOCUMENTS: write('relay.json', RELAY),
    });
    await post(gateway.url, { ...named(sha256(OTHER)), query: OTHER });

    const asked = await post(gateway.url, named(sha256(OTHER)));

    expect(asked).toMatchObject({ status: 400, code: 'PERSISTED_QUERY_NOT_FOUND' });
  });

  test('a hash in a list does not turn its document against others', async () => {
    await using upstream = await startService();
    await using gateway = await startTestGateway(upstream.url, {
      TRUSTED_DOCUMENTS: write('relay.json', RELAY),
    });
    await post(gateway.url, named([sha256(READ)]));

    const { answer } = await post(gateway.url, named(sha256(READ)));

    expect(answer).toEqual(ANSWER);
  });

  test('the explorer still opens', async () => {
    await using gateway = await startTestGateway('http://127.0.0.1:1', {
      TRUSTED_DOCUMENTS: write('relay.json', RELAY),
    });

    const page = await fetch(`${gateway.url}/graphql`, {
      headers: { accept: 'text/html' },
    });

    expect(page.status).toBe(200);
    expect(await page.text()).toContain('RecentConversations');
  });

  test.each([
    ['no JSON', '{', 'this is neither'],
    ['a list', [READ], 'this is neither'],
    ['a manifest of something else', { operations: [{ id: 'a' }] }, 'this is neither'],
    ['documents that are no text', { a: 1 }, 'this is neither'],
    ['an empty one', {}, 'this one lists none'],
    ['what is no GraphQL', { a: 'query {' }, 'the document "a" is not GraphQL'],
    ['a hash of something else', { [sha256(READ)]: OTHER }, 'is not the SHA-256'],
  ])('%s stops the start with a line', async (_what, content, why) => {
    const path = write('wrong.json', content);

    const started = startTestGateway('http://127.0.0.1:1', { TRUSTED_DOCUMENTS: path });

    const { name, message } = await started.then(
      () => expect.unreachable(),
      (error: Error) => error,
    );
    expect(name).toBe('ConfigError');
    expect(message).toContain(
      `TRUSTED_DOCUMENTS="${path}": takes the path of a manifest`,
    );
    expect(message).toContain(why);
    expect(message).not.toContain('\n');
  });

  test('a file that is not there stops the command with a line and status 1', async () => {
    await using gateway = run(['bin/messaging-graphql.js'], {
      TRUSTED_DOCUMENTS: '/nowhere/manifest.json',
    });

    expect(await gateway.exit()).toBe(1);
    expect(gateway.lines).toEqual([]);
    expect(gateway.errors).toEqual([
      'TRUSTED_DOCUMENTS="/nowhere/manifest.json": takes the path of a manifest of documents; this file cannot be read: ENOENT',
    ]);
  });
});
