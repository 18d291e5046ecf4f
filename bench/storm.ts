/**
 * Measures what a write costs others when many watch: how long an event takes to reach 1, 10, 100 and 500 watchers, each with
 * a token of its own; and what B gets while A writes one message after another to a conversation that 100 watch. The service
 * and the watchers are in threads of their own. Linux only, because it reads /proc: other processes of a busy machine delay B
 * too, so the time that the gateway's thread ran is printed beside.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { ask } from '../test/support/gateway.ts';
import { startUpstream } from '../test/support/upstream.ts';
import { wireMessage, wirePage } from '../test/support/wire.ts';
import { type Asked, askAsB } from './bystander.ts';
import { quantile } from './performance/statistics.ts';
import { type MeasuredGateway, startGateway } from './process.ts';
import { openStream } from './streams.ts';

const WATCHERS = (process.env.WATCHERS ?? '1 10 100 500').split(' ').map(Number);
const STORM_WATCHERS = 100;
const WRITES = 10;
/** Longer than the polls that follow one write take. Unit: milliseconds. */
const BETWEEN_WRITES_MS = 4000;
const STORM_MS = 20_000;
/** A writes for this long before B is measured, and after. Unit: milliseconds. */
const AROUND_MS = 1000;
const B_PERIOD_MS = 50;
const LIST = 100;
/** How long the service takes for a call of B. Unit: milliseconds. */
const USUAL_MS = 20;

const WATCH =
  'subscription { messageChanged(conversationId: "c1") { messageId message { message } } }';
const SEND =
  'mutation { sendMessage(input: { conversationId: "c1", message: "m" }) { message { id } } }';
const READ = '{ messages(conversationId: "b", first: 10) { nodes { id message } } }';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (parentPort === null) {
  await measure();
  // The workers go on otherwise. Not in measure(), which ends the gateway when it returns.
  process.exit(0);
} else if (workerData === 'service') await serve(parentPort);
else await watch(parentPort);

async function measure(): Promise<void> {
  const file = new URL(import.meta.url);
  const service = new Worker(file, { workerData: 'service' });
  const crowd = new Worker(file, { workerData: 'crowd' });
  const tell = async (worker: Worker, order: unknown) => {
    const answer = once(worker, 'message');
    worker.postMessage(order);
    return (await answer)[0];
  };
  const [messagingUrl] = await once(service, 'message');
  await using gateway = await startGateway(messagingUrl);
  crowd.postMessage(gateway.url);
  for (const watchers of WATCHERS) {
    report(`${watchers} watchers, events after a write`, await tell(crowd, watchers));
    if (watchers !== STORM_WATCHERS) continue;
    await askFor(gateway, 2000);
    await reportB('B without the storm', gateway);
    const before = await tell(service, 'polls');
    const storm = tell(crowd, 'storm');
    await sleep(AROUND_MS);
    await reportB('B beside the storm', gateway);
    const { writes, events } = await storm;
    const polls = (await tell(service, 'polls')) - before;
    say(`the storm: ${writes} writes, ${polls} polls, ${events} events`);
  }
}

function report(what: string, times: readonly number[]): void {
  const at = (share: number) => `${quantile(times, share).toFixed()} ms`;
  say(
    `${what}: ${times.length} times, median ${at(0.5)}, 99th percentile ${at(0.99)}, longest ${at(1)}`,
  );
}

/** B reads for so long. Throws if a read fails. */
async function askFor(gateway: MeasuredGateway, ms: number): Promise<Asked[]> {
  const asked = await askAsB(gateway, Array(ms / B_PERIOD_MS).fill(READ), B_PERIOD_MS);
  if (asked.some(({ isGood }) => !isGood)) throw new Error('an operation of B failed');
  return asked;
}

async function reportB(what: string, gateway: MeasuredGateway): Promise<void> {
  const before = gateway.threadMs();
  const asked = await askFor(gateway, STORM_MS);
  const share = (gateway.threadMs() - before) / STORM_MS;
  const times = asked.map(({ ms }) => ms);
  const threadTimes = asked.map(({ threadMs }) => threadMs);
  report(what, times);
  report(`${what}, the gateway's thread`, threadTimes);
  say(`the gateway used ${(100 * share).toFixed()} % of a core`);
}

/** The service: a list of 100 messages, newest first, with one more after each POST; those of B stay the same. */
async function serve(port: MessagePort): Promise<void> {
  const toPage = (newest: number) => {
    const ids = Array.from({ length: LIST }, (_, index) => newest - index);
    const messages = ids.map((id) => wireMessage(`m${id}`, { created_at: id }));
    return JSON.stringify(wirePage(messages, true));
  };
  const pageOfB = toPage(LIST);
  let count = LIST;
  let page = pageOfB;
  let polls = 0;
  const upstream = await startUpstream(({ line }) => {
    if (line.startsWith('POST')) {
      count += 1;
      page = '';
      return { body: wireMessage(`m${count}`) };
    }
    if (line.includes('conversation_id=b')) return { body: pageOfB, delayMs: USUAL_MS };
    polls += 1;
    page ||= toPage(count);
    return { body: page };
  });
  port.on('message', () => port.postMessage(polls));
  port.postMessage(upstream.url);
}

/** The watchers, and A. A number opens so many watchers, and is answered with the times of events; `storm` starts a storm. */
async function watch(port: MessagePort): Promise<void> {
  const [url] = (await once(port, 'message')) as [string];
  const write = () => ask(url, SEND, { token: 'writer' });
  const arrivals: number[] = [];
  const onEvent = () => void arrivals.push(performance.now());
  let opened = 0;
  for (;;) {
    const [order] = await once(port, 'message');
    if (order === 'storm') {
      port.postMessage(await storm());
      continue;
    }
    for (; opened < order; opened += 1)
      await openStream(url, WATCH, `token${opened}`, onEvent);
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

  async function storm() {
    arrivals.length = 0;
    const end = performance.now() + STORM_MS + 2 * AROUND_MS;
    let writes = 0;
    for (; performance.now() < end; writes += 1) await write();
    const events = arrivals.length;
    await sleep(BETWEEN_WRITES_MS);
    return { writes, events };
  }
}
