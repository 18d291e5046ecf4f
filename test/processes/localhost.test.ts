import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { NOWHERE, sendRaw } from '../support/http.ts';

/** Loaded before the gateway: `localhost` has both addresses, whatever this machine says. */
const BOTH_ADDRESSES = `data:text/javascript,${encodeURIComponent(`
  import dns from 'node:dns';
  import { syncBuiltinESMExports } from 'node:module';
  const both = [{ address: '127.0.0.1', family: 4 }, { address: '::1', family: 6 }];
  const { lookup } = dns;
  dns.lookup = (host, options, done) => {
    if (host !== 'localhost') lookup(host, options, done);
    else if (options.all) process.nextTick(done, null, both);
    else process.nextTick(done, null, '127.0.0.1', 4);
  };
  const { lookup: promised } = dns.promises;
  dns.promises.lookup = async (host, options) =>
    host === 'localhost' ? (options?.all ? both : both[0]) : promised(host, options);
  syncBuiltinESMExports();
`)}`;

const startOnLocalhost = () =>
  startGatewayProcess(NOWHERE, { HOST: 'localhost' }, ['--import', BOTH_ADDRESSES]);

const hasIPv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === '::1');

const POST = 'POST /graphql HTTP/1.1\r\nConnection: close\r\n';

describe('with HOST=localhost', () => {
  test.each([
    ['an unknown expectation', `${POST}Host: x\r\nExpect: x\r\n\r\n`, 417],
    ['no Host', `${POST}\r\n`, 400],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', 404],
    ['text that is not HTTP', 'hello\r\n\r\n', 400],
    ['a long head', `${POST}Host: x\r\nX-Big: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ])(
    'both addresses answer in the shape of GraphQL, with all headers: %s',
    async (_what, request, status) => {
      await using gateway = await startOnLocalhost();

      const onIPv4 = await sendRaw(gateway.url, request);
      const onIPv6 = sendRaw(gateway.url.replace('127.0.0.1', '[::1]'), request);

      // A machine without IPv6 has one address to listen on.
      if (!hasIPv6) await expect(onIPv6).rejects.toThrow(/ECONN|EADDR|ENET|EAFNO/);
      for (const answer of hasIPv6 ? [onIPv4, await onIPv6] : [onIPv4]) {
        const [head = '', body = ''] = answer.split('\r\n\r\n');
        expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
        expect(head).toMatch(/\r\nx-request-id: [\w-]{36}(\r\n|$)/i);
        expect(head).toMatch(/\r\ncache-control: no-store(\r\n|$)/i);
        expect(JSON.parse(body).errors[0].extensions.code).toMatch(
          /^(BAD_REQUEST|NOT_FOUND)$/,
        );
      }
    },
  );

  test('both addresses answer operations, and close when the gateway stops', async () => {
    await using gateway = await startOnLocalhost();
    const urls = [gateway.url, gateway.url.replace('127.0.0.1', '[::1]')];

    const answers = await Promise.allSettled(
      urls.map((url) => fetch(`${url}/graphql?query={__typename}`, { headers: AS_ANN })),
    );
    const statuses = answers.map((one) =>
      one.status === 'fulfilled' ? one.value.status : 'none',
    );
    gateway.child.kill('SIGTERM');

    expect(statuses).toEqual([200, hasIPv6 ? 200 : 'none']);
    expect(await gateway.exit()).toBe(0);
  });
});

const AS_ANN = { authorization: 'Bearer ann-token' };
