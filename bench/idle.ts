/**
 * Measures what connected users cost who do nothing: each has a subscription to a list of 100 messages of which nothing changes.
 * docs/scaling.md (`npm run users`) and docs/live.md (`npm run live`) have the figures. Linux only. Needs as many open files as
 * subscriptions, twice.
 *
 *     node bench/idle.ts 10000 500   # subscriptions, tokens; each token has a list of its own
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startUpstream } from '../test/support/upstream.ts';
import { wireMessage, wirePage } from '../test/support/wire.ts';
import { MEGABYTE, startGateway } from './process.ts';
import { openStream } from './streams.ts';

const [subscriptions = 2000, tokens = subscriptions] = process.argv.slice(2).map(Number);
/** How many are opened at once. */
const AT_ONCE = 50;
/** Lists are polled ever more rarely, and after a minute every 15 seconds. Unit: milliseconds. */
const CALM_MS = 75_000;
const MEASURED_MS = 60_000;
/** Unit: bytes. */
const KILOBYTE = 1024;

const PAGE = wirePage(
  Array.from({ length: 100 }, (_, index) =>
    wireMessage(`m${100 - index}`, { created_at: 100 - index }),
  ),
  true,
);

const say = (line: string): void => void process.stdout.write(`${line}\n`);

let polls = 0;
await using upstream = await startUpstream(() => {
  polls += 1;
  return { body: PAGE };
});
await using gateway = await startGateway(upstream.url, {
  MAX_SUBSCRIPTIONS: `${subscriptions * 2}`,
});
const open = (index: number) => {
  const token = index % tokens;
  const query = `subscription { messageChanged(conversationId: "c${token}") { kind messageId message { message } } }`;
  return openStream(gateway.url, query, `user-${token}`);
};

await open(0);
await sleep(1000);
const before = gateway.memory();
for (let opened = 1; opened < subscriptions; opened += AT_ONCE) {
  const count = Math.min(AT_ONCE, subscriptions - opened);
  await Promise.all(Array.from({ length: count }, (_, index) => open(opened + index)));
}
say(`${subscriptions} subscriptions of ${tokens} tokens`);
await sleep(CALM_MS);
const start = { polls, cpuMs: gateway.cpuMs(), at: performance.now() };
await sleep(MEASURED_MS);
const seconds = (performance.now() - start.at) / 1000;
const polled = polls - start.polls;
const usedMs = gateway.cpuMs() - start.cpuMs;
const memory = gateway.memory();
const each = (memory - before) / subscriptions / KILOBYTE;
const { tookMs } = await gateway.terminate();

say(`memory: ${each.toFixed(1)} KB each, ${(memory / MEGABYTE).toFixed()} MB in all`);
say(
  `polls: ${((polled / subscriptions / seconds) * 60).toFixed(2)} a minute each, ${(polled / seconds).toFixed()} a second in all`,
);
say(
  `CPU: ${(usedMs / polled).toFixed(3)} ms for one poll, ${(usedMs / seconds / 10).toFixed(1)} % of a core in all`,
);
say(`the gateway stopped in ${(tookMs / 1000).toFixed()} s`);
process.exit(0);
