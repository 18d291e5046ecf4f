import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { startGateway } from '../../src/gateway.ts';
import { OPERATIONS } from '../../src/messaging/examples.ts';
import { startTestGateway } from '../support/gateway.ts';
import { NOWHERE } from '../support/http.ts';

const HTML = { headers: { accept: 'text/html,*/*;q=0.8' } };
/** Made by `npm run build:explorer`, which `npm ci` runs too. */
const BUILT = new URL('../../dist/explorer/', import.meta.url);

/** What the page passes to its script. */
const setupIn = (page: string) =>
  JSON.parse(
    /<script type="application\/json"[^>]*>(.*?)<\/script>/s.exec(page)?.[1] ?? '',
  );

const policyIn = (page: string): string =>
  /^<!doctype html>\s*<html[^>]*>\s*<head>\s*<meta charset="utf-8">\s*<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(
    page,
  )?.[1] ?? '';

/** Sends the path as it is; `fetch` would resolve its dots. */
const get = (url: string, path: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }>(
    (resolve, reject) => {
      const { hostname, port } = new URL(url);
      request({ hostname, port, path, headers }, async (response) => {
        const parts = await response.toArray();
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, body: Buffer.concat(parts) });
      })
        .on('error', reject)
        .end();
    },
  );

test('/ leads to the explorer, with a first operation and the header to fill in', async () => {
  await using gateway = await startTestGateway(NOWHERE);

  const response = await fetch(gateway.url, HTML);

  expect(response.url).toBe(`${gateway.url}/graphql`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/html');
  expect(setupIn(await response.text())).toEqual({
    sandbox: true,
    operations: OPERATIONS,
    headers: { Authorization: 'Bearer ACCESS_TOKEN' },
  });
});

// security: script
test.each([
  [
    'sandbox',
    'https://embeddable-sandbox.cdn.apollographql.com',
    'https://sandbox.embed.apollographql.com',
  ],
  ['local', '', ''],
])(
  'EXPLORER=%s allows scripts of these hosts alone: %j %j',
  async (EXPLORER, scripts, frames) => {
    await using gateway = await startTestGateway(NOWHERE, { EXPLORER });

    const response = await fetch(`${gateway.url}/graphql`, HTML);

    const page = await response.text();
    const rules = new Map(
      policyIn(page)
        .split('; ')
        .map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1).join(' ')]),
    );
    expect(rules.get('default-src')).toBe("'none'");
    expect(rules.get('script-src')).toBe(`'self' ${scripts}`.trim());
    expect(rules.get('frame-src')).toBe(frames || "'none'");
    expect(rules.get('connect-src')).toBe("'self'");
    expect(setupIn(page).sandbox).toBe(EXPLORER === 'sandbox');
    // Two policies would both apply.
    expect(response.headers.get('content-security-policy')).toBe(
      "frame-ancestors 'none'",
    );
    const hosts = page.match(/https?:\/\/[^\s/"'\\;]+/g) ?? [];
    expect(new Set(hosts)).toEqual(new Set([scripts, frames].filter(Boolean)));
  },
);

test('EXPLORER=false answers a browser as any other client, and serves no page', async () => {
  await using gateway = await startTestGateway(NOWHERE, { EXPLORER: 'false' });

  const answers = await Promise.all(
    ['/', '/graphql', '/explorer/start.js'].map((path) =>
      fetch(gateway.url + path, HTML),
    ),
  );

  expect(answers.map(({ status }) => status)).toEqual([404, 400, 404]);
  for (const answer of answers) {
    expect(answer.headers.get('content-type')).toContain('json');
    expect(await answer.json()).toHaveProperty('errors');
  }
  expect((await gateway.ask('{ __typename }')).data).toEqual({ __typename: 'Query' });
});

// security: script
test('a token cannot leave the text that the page passes to its script', async () => {
  const explorerToken = '</script><script>alert(1)</script><!--';
  const config = loadConfig({ MESSAGING_URL: NOWHERE, PORT: '0', LOG_LEVEL: 'silent' });
  await using gateway = await startGateway({ ...config, explorerToken });

  const page = await (await fetch(`${gateway.url}/graphql`, HTML)).text();

  expect(page).not.toContain('alert(1)</script>');
  expect(setupIn(page).headers).toEqual({ Authorization: `Bearer ${explorerToken}` });
});

describe('the files of the explorer', () => {
  const names = readdirSync(BUILT).filter((name) => !name.endsWith('.md'));

  test('are served next to /graphql, and to /graphql/, compressed for clients that accept it', async () => {
    await using gateway = await startTestGateway(NOWHERE);
    const types: Record<string, string> = {
      js: 'text/javascript; charset=utf-8',
      css: 'text/css; charset=utf-8',
      ttf: 'font/ttf',
    };

    for (const name of names) {
      const content = readFileSync(new URL(name, BUILT));
      const plain = await get(gateway.url, `/explorer/${name}`);
      const compressed = await get(gateway.url, `/graphql/explorer/${name}`, {
        'accept-encoding': 'gzip, deflate, br',
      });

      expect([name, plain.status, compressed.status]).toEqual([name, 200, 200]);
      expect(plain.body.equals(content)).toBe(true);
      expect(gunzipSync(compressed.body).equals(content)).toBe(true);
      expect(plain.headers).toMatchObject({
        'content-type': types[name.split('.').at(-1) ?? ''],
        'content-length': `${content.length}`,
        'x-content-type-options': 'nosniff',
      });
      expect(compressed.headers).toMatchObject({
        'content-encoding': 'gzip',
        vary: expect.stringMatching(/accept-encoding/i),
      });
    }
  });

  test('may be stored, as each name changes with its content; the first one may not', async () => {
    await using gateway = await startTestGateway(NOWHERE);

    for (const name of names) {
      const { headers } = await get(gateway.url, `/explorer/${name}`);
      const isFirst = name === 'start.js';
      expect(headers['cache-control']).toBe(
        isFirst ? 'no-store' : 'public, max-age=31536000, immutable',
      );
      expect(isFirst || /-[\w-]{8}\.\w+$/.test(name)).toBe(true);
    }
  });

  // security: path-traversal
  test.each([
    '/explorer/',
    '/explorer/..%2f..%2fpackage.json',
    '/explorer/../../package.json',
    '/explorer/licenses.md',
    '/explorer/toString',
    '/explorer/start.js%00',
  ])('are no way to others: %s', async (path) => {
    await using gateway = await startTestGateway(NOWHERE);

    const { status, headers, body } = await get(gateway.url, path);

    expect(status).toBe(404);
    expect(headers['cache-control']).toBe('no-store');
    expect(JSON.parse(body.toString())).toHaveProperty('errors');
  });
});
