import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startGatewayCommand } from '../../src/commands.ts';
import { createScripted, keepLines } from '../library/support.ts';
import {
  type GraphqlAnswer,
  startScripted,
  startTestGateway,
} from '../support/gateway.ts';
import { NOWHERE, post } from '../support/http.ts';
import { named, sha256 } from '../support/persisted.ts';
import { wireMessage } from '../support/wire.ts';

const READ = 'query Read($id: ID!) { message(id: $id) { message } }';
const OTHER = 'query Read($id: ID!) { message(id: $id) { id message } }';
const variables = { id: 'm1' };
const ANSWER = { data: { message: { message: 'text m1' } } };
const TOKEN = { authorization: 'Bearer t' };
const NOT_FOUND = { status: 400, code: 'PERSISTED_QUERY_NOT_FOUND' };
const SERVICE = { 'GET /v1/messages/m1': wireMessage('m1') };

/** A request that names an operation by its hash. */
const byHash = (hash: unknown) => ({ extensions: named(hash as string), variables });
const READ_BY_HASH = byHash(sha256(READ));

/** Sends requests to one gateway, one after the other; `calls` counts those to the service. */
async function send(
  requests: readonly object[],
  { manifest, accept = '*/*' }: { manifest?: unknown; accept?: string } = {},
) {
  await using gateway = await startScripted(
    SERVICE,
    manifest === undefined ? {} : { TRUSTED_DOCUMENTS: writeManifest(manifest) },
  );
  const headers = { authorization: 'Bearer t', accept };
  const answers = [];
  for (const request of requests) {
    const response = await post(gateway.url, request, headers);
    const answer = (await response.json()) as GraphqlAnswer;
    const code = answer.errors?.[0]?.extensions.code;
    answers.push({ status: response.status, answer, code });
  }
  return { answers, last: answers.at(-1), calls: gateway.service.calls.length };
}

const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a file, as JSON unless it is text, and returns its path. */
function writeManifest(content: unknown): string {
  const path = join(folder, 'manifest.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

describe('a persisted operation', () => {
  test('is unknown until it is sent with its text, and known from then on', async () => {
    const { answers, calls } = await send([
      READ_BY_HASH,
      { ...READ_BY_HASH, query: READ },
      READ_BY_HASH,
    ]);

    const [missed, registered, hit] = answers;
    expect(missed).toMatchObject(NOT_FOUND);
    expect(registered?.answer).toEqual(ANSWER);
    expect(hit?.answer).toEqual(ANSWER);
    expect(calls).toBe(2);
  });

  test('is known to a GET too', async () => {
    await using gateway = await startScripted(SERVICE);
    const headers = { authorization: 'Bearer t' };
    await post(gateway.url, { ...READ_BY_HASH, query: READ }, headers);

    const search = new URLSearchParams({
      extensions: JSON.stringify(READ_BY_HASH.extensions),
      variables: JSON.stringify(variables),
    });
    const response = await fetch(`${gateway.url}/graphql?${search}`, { headers });

    expect(await response.json()).toEqual(ANSWER);
  });

  test('that is unknown is 200 for a client that accepts application/json only', async () => {
    const { last } = await send([READ_BY_HASH], { accept: 'application/json' });

    expect(last).toMatchObject({ ...NOT_FOUND, status: 200 });
  });

  // security: hash-not-text
  test.each([[undefined], [7], [['x']], [{ toString: 1, valueOf: 1 }]])(
    'is unknown by a hash that is not text: %j',
    async (hash) => {
      const { last } = await send([byHash(hash)]);

      expect(last).toMatchObject(NOT_FOUND);
    },
  );

  // security: text-under-hash
  test('is not registered under the hash of another', async () => {
    const { answers, calls } = await send([
      { ...READ_BY_HASH, query: OTHER },
      READ_BY_HASH,
    ]);

    expect(answers).toMatchObject([{ status: 400 }, NOT_FOUND]);
    expect(calls).toBe(0);
  });

  test.each([
    ['cannot be parsed', '{ '.repeat(3).concat('a')],
    ['is too wide', `{ ${'a: __typename '.repeat(1001)} }`],
  ])('is not registered if its document %s', async (_, query) => {
    const request = byHash(sha256(query));

    const { last } = await send([{ ...request, query }, request]);

    expect(last?.code).toBe('PERSISTED_QUERY_NOT_FOUND');
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
    ["Relay's", RELAY],
    ["Apollo's", APOLLO],
    ["Relay's with ids of its own", { 'read-1': READ }],
  ])('a document of %s manifest runs, named or sent whole', async (_, manifest) => {
    const { answers } = await send(
      [READ_BY_HASH, { query: READ, variables }, { ...READ_BY_HASH, query: READ }],
      { manifest },
    );

    expect(answers.map(({ answer }) => answer)).toEqual([ANSWER, ANSWER, ANSWER]);
  });

  test.each([
    ['documentId', { documentId: `sha256:${sha256(READ)}` }],
    ["Relay's id", { id: 'read-1', query: null }],
    ['an id instead of a hash', byHash('read-1')],
  ])('a document may be named by %s', async (_, name) => {
    const { last } = await send([{ ...name, variables }], {
      manifest: { 'read-1': READ },
    });

    expect(last?.answer).toEqual(ANSWER);
  });

  // security: untrusted-operation
  test.each([
    ['a document with one more space', { query: `${READ} `, variables }],
    ['another document with its hash', { ...byHash(sha256(OTHER)), query: OTHER }],
    ['an invalid document', { query: '{ secretField }' }],
    ['introspection', { query: '{ __schema { queryType { name } } }' }],
  ])('%s is refused before any call, again and again', async (_, request) => {
    const refused = { status: 400, code: 'DOCUMENT_NOT_TRUSTED' };

    const { answers, calls } = await send([request, request], { manifest: RELAY });

    expect(answers).toMatchObject([refused, refused]);
    expect(answers[1]).toEqual(answers[0]);
    expect(calls).toBe(0);
  });

  // security: untrusted-operation
  test('a document that was refused is not registered', async () => {
    const request = byHash(sha256(OTHER));

    const { last } = await send([{ ...request, query: OTHER }, request], {
      manifest: RELAY,
    });

    expect(last).toMatchObject(NOT_FOUND);
  });

  // security: untrusted-operation
  test('a list that holds a hash does not change what the hash names', async () => {
    const { last } = await send([byHash([sha256(READ)]), READ_BY_HASH], {
      manifest: RELAY,
    });

    expect(last?.answer).toEqual(ANSWER);
  });

  test('the manifest can be read again: an id may name another document then', async () => {
    const path = writeManifest({ read: READ, gone: OTHER });
    await using gateway = await startScripted(SERVICE, { TRUSTED_DOCUMENTS: path });
    const ask = async (named: object) =>
      (await post(gateway.url, { ...named, variables }, TOKEN)).json();
    // Until their plans are kept.
    for (const named of [{ documentId: 'read' }, { query: OTHER }])
      for (const _ of [1, 2, 3]) expect(await ask(named)).toMatchObject(ANSWER);

    writeManifest({ read: '{ __typename }' });
    gateway.reload();

    expect(await ask({ documentId: 'read' })).toEqual({ data: { __typename: 'Query' } });
    expect(JSON.stringify(await ask({ query: OTHER }))).toContain('DOCUMENT_NOT_TRUSTED');
  });

  test('with TRUSTED_DOCUMENTS_MODE=report any other runs, and is logged and counted each time', async () => {
    const { lines, logger } = keepLines();
    await using gateway = await createScripted(SERVICE, {
      trustedDocuments: writeManifest(RELAY),
      trustedDocumentsMode: 'report',
      logger,
    });
    const other = { query: OTHER, variables };
    const registered = byHash(sha256(OTHER));
    const others = [other, other, other, { ...registered, ...other }, registered];

    for (const request of [READ_BY_HASH, ...others])
      expect(await gateway.execute({ ...request, token: 't' })).toMatchObject(ANSWER);

    const hashes = lines.map(({ untrusted }) => untrusted);
    expect(hashes).toEqual([undefined, ...Array(5).fill(sha256(OTHER))]);
    expect(await gateway.metrics()).toContain('gateway_untrusted_operations_total 5\n');
  });

  test('the explorer still opens', async () => {
    await using gateway = await startTestGateway(NOWHERE, {
      TRUSTED_DOCUMENTS: writeManifest(RELAY),
    });

    const page = await fetch(`${gateway.url}/graphql`, {
      headers: { accept: 'text/html' },
    });

    expect(page.status).toBe(200);
    expect(await page.text()).toContain('query Inbox');
  });

  test('the start prints no curl line, whose document is in no manifest', async () => {
    const env = { HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent' };
    const start = async (settings: Record<string, string>) => {
      const { lines, stop } = await startGatewayCommand({ ...env, ...settings });
      await stop();
      return lines.join('\n');
    };

    const all = await start({});
    const few = await start({ TRUSTED_DOCUMENTS: writeManifest(RELAY) });

    expect(all).toContain('curl');
    expect(few).toContain('ada-sample-token');
    expect(few).not.toContain('curl');
  });

  test.each([
    ['is not JSON', '{', 'the file is neither'],
    ['is of another format', { operations: [{ id: 'a' }] }, 'the file is neither'],
    ['has documents that are not text', { a: 1 }, 'the file is neither'],
    ['is empty', {}, 'the file lists no documents'],
    ['has text that is not GraphQL', { a: 'query {' }, 'the document "a" is not GraphQL'],
    ['has the hash of another', { [sha256(READ)]: OTHER }, 'is not the SHA-256'],
    [
      'has an id twice',
      { operations: [READ, OTHER].map((body) => ({ id: 'a', body })) },
      'the id "a" has two documents',
    ],
  ])('a manifest that %s stops the start with one line', async (_, content, why) => {
    const path = writeManifest(content);

    const started = startTestGateway(NOWHERE, { TRUSTED_DOCUMENTS: path });

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
});
