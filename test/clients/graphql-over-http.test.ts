import { type Audit, type AuditResult, serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

/**
 * Audits not passed by a client without an Authorization header, each a MAY: its GET could be sent by any page of
 * another site, and CSRF prevention refuses it. Source: contract, "HTTP surface".
 */
const REFUSED_WITHOUT_AUTHORIZATION: Readonly<Record<string, string>> = {
  '5A70': 'a GET without a header that only its own site can set',
  D6D5: 'a GET without a header that only its own site can set',
  '6A70': 'a GET without a header that only its own site can set',
};

/** No audit gets as far as the messaging service. */
const NOBODY = 'http://127.0.0.1:1';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway(NOBODY);
});
afterAll(() => gateway.stop());

const url = () => `${gateway.url}/graphql`;

const withAuthorization: typeof fetch = (input, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set('authorization', 'Bearer ann-token');
  return fetch(input, { ...init, headers });
};

/** `ok`, or what is wrong. */
const toVerdict = (result: AuditResult): string =>
  result.status === 'ok' ? 'ok' : `${result.status}: ${result.reason}`;

const named = (audits: Audit[]) =>
  audits.map(({ id, name, fn }) => ({
    id,
    name,
    run: async () => toVerdict(await fn()),
  }));

describe('a client with an Authorization header', () => {
  test.each(named(serverAudits({ url, fetchFn: withAuthorization })))(
    '$id $name',
    async ({ run }) => {
      expect(await run()).toBe('ok');
    },
  );
});

describe('a client without one', () => {
  const audits = named(serverAudits({ url }));

  test.each(audits.filter(({ id }) => !(id in REFUSED_WITHOUT_AUTHORIZATION)))(
    '$id $name',
    async ({ run }) => {
      expect(await run()).toBe('ok');
    },
  );

  test.each(
    audits
      .filter(({ id }) => id in REFUSED_WITHOUT_AUTHORIZATION)
      .map((audit) => ({ ...audit, reason: REFUSED_WITHOUT_AUTHORIZATION[audit.id] })),
  )('$id is a MAY that is refused: $reason', async ({ name, run }) => {
    expect(name).toMatch(/^MAY /);
    expect(await run()).toBe('notice: Response status code is not 200');
  });
});
