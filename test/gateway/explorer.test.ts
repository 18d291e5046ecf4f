import { expect, test } from 'vitest';
import { FIRST_OPERATION } from '../../src/operation/explorer.ts';
import { startTestGateway } from '../support/gateway.ts';
import { NOWHERE } from '../support/http.ts';

test('/ leads to the explorer, with a first operation and the header to fill in', async () => {
  await using gateway = await startTestGateway(NOWHERE);

  const response = await fetch(gateway.url, {
    headers: { accept: 'text/html,*/*;q=0.8' },
  });

  const page = await response.text();
  expect(response.url).toBe(`${gateway.url}/graphql`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/html');
  expect(page).toContain('RecentConversations');
  expect(page).toContain('"Authorization":"Bearer ACCESS_TOKEN"');
});

test('the first operation of the explorer is valid', async () => {
  await using gateway = await startTestGateway(NOWHERE);

  const { errors } = await gateway.ask(FIRST_OPERATION, { token: null });

  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['UNAUTHENTICATED']);
});

test('the page of the explorer has its own rules for scripts and frames, and no header overrides them', async () => {
  await using gateway = await startTestGateway(NOWHERE);

  const page = await fetch(`${gateway.url}/graphql`, {
    headers: { accept: 'text/html' },
  });

  expect(await page.text()).toMatch(
    /<meta http-equiv="Content-Security-Policy" content="script-src 'self' 'nonce-.*frame-src/,
  );
  expect(page.headers.get('content-security-policy')).not.toMatch(/-src/);
});
