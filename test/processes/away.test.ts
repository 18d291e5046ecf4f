import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { waitToRetry } from '../../examples/live-reconnect.ts';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { CLIENTS } from '../clients/live-clients.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { servePlain } from '../support/http.ts';
import { LONGEST, openSubscriptions } from '../support/live.ts';

const TOKEN = 'ada-sample-token';
/** For as long as this no gateway listens, by the timers of the clients. */
const AWAY_MS = 5 * 60_000;
/** These timers run faster than real time, so that the test does not. */
const SPEED = 100;

/** Until what it returns is disposed of. */
function hurryTimers(): Disposable {
  const { setTimeout: start } = globalThis;
  const hurry = (act: () => void, ms = 0, ...rest: []) => start(act, ms / SPEED, ...rest);
  vi.stubGlobal('setTimeout', hurry);
  return { [Symbol.dispose]: () => void vi.unstubAllGlobals() };
}

const toSend = (message: string) =>
  `mutation { sendMessage(input: { conversationId: "${LONGEST}", message: "${message}" }) { message { id } } }`;

async function writeToService(url: string, message: string): Promise<void> {
  const response = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}` },
    body: new URLSearchParams({ conversation_id: LONGEST, message }),
  });
  expect(await response.json()).toMatchObject({ message });
}

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'each client outlives five minutes without a gateway after %s, and then gets what was written meanwhile, and later',
  async (signal) => {
    await using service = await startEmbeddedService();
    const startGateway = (port: string) =>
      startGatewayProcess(service.url, { LIVE_POLL_MS: '600000', PORT: port });
    await using gateway = await startGateway('0');
    const isWatchedByAll = async () =>
      (await openSubscriptions(gateway)) === CLIENTS.length;
    using open = new DisposableStack();
    const clients = CLIENTS.map(([name, start]) => ({
      name,
      ...open.use(start(`${gateway.url}/graphql`, TOKEN, LONGEST)),
    }));
    const states = () =>
      clients.map(({ name, events, codes }) => ({ name, events, codes }));
    const expectEvents = (...events: string[]) =>
      expect
        .poll(states)
        .toEqual(clients.map(({ name }) => ({ name, events, codes: [] })));
    await expect.poll(isWatchedByAll).toBe(true);
    await gateway.ask(toSend('before'), { token: TOKEN });
    await expectEvents('CREATED before');

    gateway.child.kill(signal);
    await gateway.exit();
    await writeToService(service.url, 'meanwhile');
    using _timers = hurryTimers();
    const sent = await Promise.all(clients.map(({ send }) => send('into the void')));
    await sleep(AWAY_MS / SPEED);
    await expectEvents('CREATED before');
    await using again = await startGateway(new URL(gateway.url).port);
    await expect.poll(isWatchedByAll).toBe(true);
    await expectEvents('CREATED before', 'CREATED meanwhile');
    await again.ask(toSend('after'), { token: TOKEN });

    await expectEvents('CREATED before', 'CREATED meanwhile', 'CREATED after');
    expect(sent).toEqual(clients.map(() => false));
  },
  60_000,
);

/** A wire to a port of this machine, which can die without a word: then its connections stay open, and carry nothing. */
async function startWire(port: string) {
  const ends: Socket[] = [];
  const wire = await servePlain((near) => {
    const far = connect(Number(port), '127.0.0.1').on('error', () => {});
    near
      .pipe(far)
      .pipe(near)
      .once('close', () => far.destroy());
    ends.push(near, far);
  });
  const die = () => ends.forEach((end) => void end.unpipe().pause());
  return { ...wire, url: `http://127.0.0.1:${wire.port}`, die };
}

test.each(CLIENTS.filter(([name]) => /graphql-ws/.test(name)))(
  '%s notices that its connection has died without a word, and gets what was written meanwhile',
  async (_, start) => {
    await using service = await startEmbeddedService();
    await using gateway = await startGatewayProcess(service.url);
    await using wire = await startWire(new URL(gateway.url).port);
    using client = start(`${wire.url}/graphql`, TOKEN, LONGEST);
    await expect.poll(() => openSubscriptions(gateway)).toBe(1);
    await gateway.ask(toSend('before'), { token: TOKEN });
    await expect.poll(() => client.events).toEqual(['CREATED before']);

    wire.die();
    await gateway.ask(toSend('meanwhile'), { token: TOKEN });

    await expect
      .poll(() => client.events)
      .toEqual(['CREATED before', 'CREATED meanwhile']);
    expect(client.codes).toEqual([]);
  },
);

test('no wait between two attempts is longer than 33 seconds', async () => {
  vi.useFakeTimers();
  using _timers = { [Symbol.dispose]: () => void vi.useRealTimers() };

  const waits = Promise.all([0, 5, 1000].map(waitToRetry));
  await vi.advanceTimersByTimeAsync(33_000);

  await waits;
});
