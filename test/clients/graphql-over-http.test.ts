import { type Audit, type AuditResult, serverAudits } from 'graphql-http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { NOWHERE } from '../support/http.ts';

/**
 * Audits that fail for a client without an Authorization header. Each is a MAY about a GET that a page of another site
 * could send, so CSRF prevention refuses it.
 */
const REFUSED_WITHOUT_AUTHORIZATION = ['5A70', 'D6D5', '6A70'];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway(NOWHERE);
});
afterAll(() => gateway.close());

const url = () => `${gateway.url}/graphql`;

const withAuthorization: typeof fetch = (input, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set('authorization', 'Bearer ann-token');
  return fetch(input, { ...init, headers });
};

const toVerdict = (result: AuditResult): string =>
  result.status === 'ok' ? 'ok' : `${result.status}: ${result.reason}`;

const named = (audits: Audit[]) =>
  audits.map(({ id, name, fn }) => ({
    id,
    name,
    run: async () => toVerdict(await fn()),
  }));

const passes = async ({ run }: { run: () => Promise<string> }) =>
  expect(await run()).toBe('ok');

test.each(named(serverAudits({ url, fetchFn: withAuthorization })))(
  'a client with an Authorization header passes $id: $name',
  passes,
);

const audits = named(serverAudits({ url }));
const isRefused = ({ id }: { id: string }) => REFUSED_WITHOUT_AUTHORIZATION.includes(id);

test.each(audits.filter((audit) => !isRefused(audit)))(
  'a client without an Authorization header passes $id: $name',
  passes,
);

test.each(audits.filter(isRefused))(
  'a client without an Authorization header does not pass $id: $name',
  async ({ name, run }) => {
    expect(name).toMatch(/^MAY /);
    expect(await run()).toBe('notice: Response status code is not 200');
  },
);
