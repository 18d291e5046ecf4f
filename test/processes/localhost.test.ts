import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { preload } from '../support/command.ts';
import { ask } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { NOWHERE, sendRaw } from '../support/http.ts';

/** Loaded before the gateway: `localhost` has both addresses, whatever this machine says. */
const BOTH_ADDRESSES = preload(`
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
`);

const hasIPv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === '::1');

const UNREADABLE = 'hello\r\n\r\n';

test('with HOST=localhost, both addresses answer in the shape of GraphQL, with all headers, and close when the gateway stops', async () => {
  await using gateway = await startGatewayProcess(
    NOWHERE,
    { HOST: 'localhost' },
    BOTH_ADDRESSES,
  );
  const onIPv6 = gateway.url.replace('127.0.0.1', '[::1]');

  // A machine without IPv6 has one address to listen on.
  if (!hasIPv6) await expect(ask(onIPv6, '{ __typename }')).rejects.toThrow();
  for (const url of hasIPv6 ? [gateway.url, onIPv6] : [gateway.url]) {
    expect((await ask(url, '{ __typename }')).status).toBe(200);
    const [head = '', body = ''] = (await sendRaw(url, UNREADABLE)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 400 .*\r\ncache-control: no-store\r\n/is);
    expect(JSON.parse(body).errors[0].extensions.code).toBe('BAD_REQUEST');
  }
  await gateway.stop();
});
