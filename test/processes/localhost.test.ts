import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { LAUNCHER, preload, run } from '../support/command.ts';
import { ask } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { NOWHERE, sendRaw, servePlain } from '../support/http.ts';

/** Loaded before the gateway: `localhost` has both addresses, whatever this machine says. */
const withSecond = (second: { address: string; family: number }) =>
  preload(`
  import dns from 'node:dns';
  import { syncBuiltinESMExports } from 'node:module';
  const both = [{ address: '127.0.0.1', family: 4 }, ${JSON.stringify(second)}];
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
const BOTH_ADDRESSES = withSecond({ address: '::1', family: 6 });
/** A second address that a machine without IPv6 has, too. */
const SECOND = '127.0.0.2';
const BOTH_ON_IPV4 = withSecond({ address: SECOND, family: 4 });

/** Listens on a free port of the second address, as another program would. */
const takePort = () => servePlain(undefined, SECOND);

const hasIPv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === '::1');

const UNREADABLE = 'hello\r\n\r\n';

// security: over-ipv6
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

test('with HOST=localhost, a port that another program has on the second address ends the start with the reason', async () => {
  await using other = await takePort();
  await using gateway = run([...BOTH_ON_IPV4, LAUNCHER], {
    MESSAGING_URL: NOWHERE,
    HOST: 'localhost',
    PORT: String(other.port),
  });

  expect(await gateway.exit()).toBe(1);
  expect(gateway.errors.join()).toContain(
    `EADDRINUSE: address already in use ${SECOND}:${other.port}`,
  );
});

test('with HOST=localhost and PORT=0, the port is one that is free on both addresses', async () => {
  await using other = await takePort();
  const firstPortIs = preload(`
    import net from 'node:net';
    const { listen } = net.Server.prototype;
    let isFirst = true;
    net.Server.prototype.listen = function (options) {
      const port = isFirst && options.port === 0 ? ${other.port} : options.port;
      isFirst = false;
      return listen.call(this, { ...options, port });
    };
  `);
  await using gateway = await startGatewayProcess(NOWHERE, { HOST: 'localhost' }, [
    ...BOTH_ON_IPV4,
    ...firstPortIs,
  ]);

  expect(new URL(gateway.url).port).not.toBe(String(other.port));
  for (const url of [gateway.url, gateway.url.replace('127.0.0.1', SECOND)])
    expect((await ask(url, '{ __typename }')).status).toBe(200);
  await gateway.stop();
});
