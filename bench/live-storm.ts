/**
 * Measures what a write costs others when many watch: how long an event takes to reach 1, 10, 100 and 500 watchers, each with
 * a token of its own; and what B gets while A writes one message after another to a conversation that 100 watch. The service
 * and the watchers are in threads of their own. It measures the gateway of the current folder. Linux only, because it reads
 * /proc: other processes of a busy machine delay B too, so the time that the gateway's thread ran is reported beside.
 *
 *     node bench/live-storm.ts
 */
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { ask } from '../test/support/gateway.ts';
import { startUpstream } from '../test/support/upstream.ts';
import { wireMessage, wirePage } from '../test/support/wire.ts';
import {
  type GatewayProcess,
  startGatewayProcess,
  threadTime,
} from './gateway-process.ts';

const WATCHERS = (process.env.WATCHERS ?? '1 10 100 500').split(' ').map(Number);
const STORM_WATCHERS = 100;
const WRITES = 10;
/** Longer than the looks that follow one write take. Unit: milliseconds. */
const BETWEEN_WRITES_MS = 4000;
const STORM_MS = 20_000;
/** Unit: milliseconds. */
const B_PERIOD_MS = 50;
const LIST = 100;

const WATCH =
  'subscription { messageChanged(conversationId: "c1") { messageId message { message } } }';
const SEND =
  'mutation { sendMessage(input: { conversationId: "c1", message: "m" }) { message { id } } }';
const READ = '{ messages(conversationId: "b", first: 10) { nodes { id message } } }';

/** Part of the times, in order. Unit: milliseconds. */
const at = (times: readonly number[], part: number): string =>
  (
    times.toSorted((one, other) => one - other)[Math.floor(times.length * part)] ?? 0
  ).toFixed(0);

if (parentPort === null) await measure();
else if (workerData === 'service') await serve(parentPort);
else await watch(parentPort);

async function measure(): Promise<void> {
  const file = new URL(import.meta.url);
  const service = new Worker(file, { workerData: 'service' });
  const crowd = new Worker(file, { workerData: 'crowd' });
  const [messagingUrl] = await once(service, 'message');
  await using gateway = await startGatewayProcess(messagingUrl);
  crowd.postMessage(gateway.url);
  for (const watchers of WATCHERS) {
    crowd.postMessage({ watchers });
    const [times] = await once(crowd, 'message');
    report(`${watchers} watchers, events after a write`, times);
    if (watchers !== STORM_WATCHERS) continue;
    await askAsB(gateway, 2000);
    await reportB('B without the storm', gateway);
    const looksBefore = await looksOf(service);
    crowd.postMessage('storm');
    await sleep(1000);
    await reportB('B beside the storm', gateway);
    crowd.postMessage('calm');
    const [{ writes, events }] = await once(crowd, 'message');
    const looks = (await looksOf(service)) - looksBefore;
    process.stdout.write(
      `the storm: ${writes} writes, ${looks} looks, ${events} events\n`,
    );
  }
  process.exit(0);
}

async function looksOf(service: Worker): Promise<number> {
  service.postMessage('looks');
  return (await once(service, 'message'))[0];
}

function report(what: string, times: readonly number[]): void {
  process.stdout.write(
    `${what}: ${times.length} times, median ${at(times, 0.5)} ms, 99th percentile ${at(times, 0.99)} ms, longest ${at(times, 0.999999)} ms\n`,
  );
}

async function reportB(what: string, gateway: GatewayProcess): Promise<void> {
  const busy = threadTime(gateway.pid);
  const asked = await askAsB(gateway, STORM_MS);
  const share = (threadTime(gateway.pid) - busy) / STORM_MS;
  report(
    what,
    asked.map(({ ms }) => ms),
  );
  report(
    `${what}, the gateway's thread`,
    asked.map(({ threadMs }) => threadMs),
  );
  process.stdout.write(`the gateway used ${(100 * share).toFixed(0)} % of a core\n`);
}

/** An operation of B: until its answer came, and how long the gateway's thread ran meanwhile. Unit: milliseconds. */
interface Asked {
  readonly ms: number;
  readonly threadMs: number;
}

/** Sends a read every so often, even if earlier ones are not answered. */
async function askAsB({ url, pid }: GatewayProcess, ms: number): Promise<Asked[]> {
  const asked: Promise<Asked>[] = [];
  for (const end = performance.now() + ms; performance.now() < end; ) {
    const began = performance.now();
    const ran = threadTime(pid);
    asked.push(
      ask(url, READ, { token: 'b' }).then(({ errors }) => {
        if (errors !== undefined) throw new Error(errors[0]?.message);
        return { ms: performance.now() - began, threadMs: threadTime(pid) - ran };
      }),
    );
    await sleep(B_PERIOD_MS);
  }
  return Promise.all(asked);
}

/** The service: a list of 100 messages, newest first, with one more after each POST; those of B stay the same. */
async function serve(port: MessagePort): Promise<void> {
  const toPage = (newest: number) => {
    const ids = Array.from({ length: LIST }, (_, index) => newest - index);
    return wirePage(
      ids.map((id) => wireMessage(`m${id}`, { created_at: id })),
      true,
    );
  };
  const pageOfB = JSON.stringify(toPage(LIST));
  let count = LIST;
  let page = pageOfB;
  let looks = 0;
  const upstream = await startUpstream(({ line }) => {
    if (line.startsWith('POST')) {
      count += 1;
      page = '';
      return { body: wireMessage(`m${count}`) };
    }
    if (line.includes('conversation_id=b')) return { body: pageOfB };
    looks += 1;
    page ||= JSON.stringify(toPage(count));
    return { body: page };
  });
  port.on('message', () => port.postMessage(looks));
  port.postMessage(upstream.url);
}

/** The watchers, and A. */
async function watch(port: MessagePort): Promise<void> {
  const [url] = (await once(port, 'message')) as [string];
  const arrivals: number[] = [];
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  let opened = 0;
  const open = (token: string) =>
    new Promise<void>((resolve, reject) => {
      const headers = {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
      };
      request(`${url}/graphql`, { agent, method: 'POST', headers }, (response) => {
        response
          .on('error', () => {})
          .on('data', (data) => {
            for (let from = 0; ; from += 1) {
              from = data.indexOf('event: next', from);
              if (from === -1) break;
              arrivals.push(performance.now());
            }
          })
          .once('data', () => resolve());
      })
        .on('error', reject)
        .end(JSON.stringify({ query: WATCH }));
    });
  const write = () => ask(url, SEND, { token: 'writer' });

  let isStorm = false;
  for (;;) {
    const [order] = await once(port, 'message');
    if (order === 'storm') {
      isStorm = true;
      arrivals.length = 0;
      let writes = 0;
      void (async () => {
        for (; isStorm; writes += 1) await write();
        const events = arrivals.length;
        await sleep(BETWEEN_WRITES_MS);
        port.postMessage({ writes, events });
      })();
    } else if (order === 'calm') isStorm = false;
    else {
      for (; opened < order.watchers; opened += 1) await open(`token${opened}`);
      await sleep(1000);
      const times: number[] = [];
      for (let written = 0; written < WRITES; written += 1) {
        arrivals.length = 0;
        await write();
        const answered = performance.now();
        while (arrivals.length < opened) await sleep(5);
        times.push(...arrivals.map((time) => Math.max(0, time - answered)));
        await sleep(BETWEEN_WRITES_MS);
      }
      port.postMessage(times);
    }
  }
}
