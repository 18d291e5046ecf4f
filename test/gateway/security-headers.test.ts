import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';

test('every answer says how browsers are to treat it', async () => {
  await using gateway = await startTestGateway('http://127.0.0.1:1');

  const answers = await Promise.all([
    fetch(`${gateway.url}/graphql`, { headers: { accept: 'text/html' } }),
    fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"query":"{ __typename }"}',
    }),
    fetch(`${gateway.url}/healthz`),
    fetch(`${gateway.url}/nothing`),
    fetch(`${gateway.url}/%zz`),
  ]);

  for (const { headers } of answers) {
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'content-security-policy': "frame-ancestors 'none'",
      'referrer-policy': 'strict-origin',
    });
  }
});

test('the explorer page keeps the rules it brings for its own scripts and frames', async () => {
  await using gateway = await startTestGateway('http://127.0.0.1:1');

  const page = await fetch(`${gateway.url}/graphql`, {
    headers: { accept: 'text/html' },
  });

  expect(await page.text()).toMatch(
    /<meta http-equiv="Content-Security-Policy" content="script-src 'self' 'nonce-.*frame-src/,
  );
  expect(page.headers.get('content-security-policy')).not.toMatch(/-src/);
});
