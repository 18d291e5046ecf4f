/**
 * Measures what idle subscriptions cost a gateway: memory for each, processor time, looks a second, and how long a stop
 * takes to end them all. Linux only, because it reads /proc. Needs as many open files as subscriptions, twice.
 *
 *     node bench/live-idle.ts 10000 500   # subscriptions, tokens
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGatewayProcess } from '../test/support/gateway-process.ts';
import { startUpstream } from '../test/support/upstream.ts';
import { wireMessage, wirePage } from '../test/support/wire.ts';

const [subscriptions = 10_000, tokens = 500] = process.argv.slice(2).map(Number);
/** How many are opened at once. */
const AT_ONCE = 50;
/** Until then the looks are as rare as they become. Unit: milliseconds. */
const SETTLE_MS = 60_000;
const MEASURE_MS = 30_000;
/** Ticks of /proc/PID/stat a second. */
const TICKS = 100;

const QUERY =
  'subscription Chat($id: ID!) { messageChanged(conversationId: $id) { kind messageId message { message } } }';
const BODY = JSON.stringify({ query: QUERY, variables: { id: 'c1' } });

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });

/** Opens one subscription, and reads what comes. */
const open = (url: string, token: string) =>
  new Promise<void>((resolve, reject) => {
    const headers = {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
    };
    request(`${url}/graphql`, { agent, method: 'POST', headers }, (response) => {
      response.on('error', () => {}).once('data', () => resolve());
    })
      .on('error', reject)
      .end(BODY);
  });

const ids = Array.from({ length: 100 }, (_, index) => 100 - index);
const page = wirePage(
  ids.map((at) => wireMessage(`m${at}`, { created_at: at })),
  true,
);
let looks = 0;
await using upstream = await startUpstream(() => {
  looks += 1;
  return { body: page };
});
await using gateway = await startGatewayProcess(upstream.url, {
  LOG_LEVEL: 'silent',
  MAX_SUBSCRIPTIONS: String(2 * subscriptions),
});
const { pid } = gateway.child;
/** Unit: KiB. */
const memory = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
/** Unit: seconds. */
const busy = () => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS;
};

const empty = memory();
for (let count = 0; count < subscriptions; count += AT_ONCE) {
  const batch = Array.from(
    { length: AT_ONCE },
    (_, at) => `token${(count + at) % tokens}`,
  );
  await Promise.all(batch.map((token) => open(gateway.url, token)));
}
await sleep(SETTLE_MS);
const before = { busy: busy(), looks };
await sleep(MEASURE_MS);
const seconds = MEASURE_MS / 1000;
const each = (memory() - empty) / subscriptions;
const cpu = (100 * (busy() - before.busy)) / seconds;
const perSecond = (looks - before.looks) / seconds;
const stopping = performance.now();
gateway.child.kill('SIGTERM');
await gateway.exit();
const stopped = (performance.now() - stopping) / 1000;
process.stdout.write(
  `${subscriptions} idle subscriptions of ${tokens} tokens: ${each.toFixed(0)} KiB each, ${cpu.toFixed(1)} % of a processor, ${perSecond.toFixed(0)} looks a second, ended in ${stopped.toFixed(0)} s.\n`,
);
process.exit(0);
