/**
 * Replaces three replicas behind nginx, one after the other, while 300 clients are subscribed and messages are written: every
 * client comes back by itself and goes on where it was; it has missed nothing, and does not read its list again.
 *
 *     node test/ci/live-replicas.ts 100   # clients of each library
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { openSubscriptions } from '../support/live.ts';
import { check } from './check.ts';
import { differences, type Reader, readMessages, startReader } from './replicas/chat.ts';
import { startFleet, urlOf } from './replicas/fleet.ts';
import { LIBRARIES } from './replicas/live-clients.ts';
import { until } from './replicas/ports.ts';
import { startWriter } from './replicas/writer.ts';

const [each = 100] = process.argv.slice(2).map(Number);
const TOKENS = ['ada-sample-token', 'grace-sample-token'] as const;

await using fleet = await startFleet({});
const { nginx, ports } = fleet;

const subscriptions = async (): Promise<number> => {
  const counts = ports.map((port) => openSubscriptions({ url: urlOf(port) }));
  return (await Promise.all(counts)).reduce<number>((sum, count = 0) => sum + count, 0);
};

using open = new DisposableStack();
const readers = Object.keys(LIBRARIES).flatMap((library) =>
  Array.from({ length: each }, (_, index) =>
    open.use(startReader(library, nginx.url, TOKENS[index % 2 ? 1 : 0])),
  ),
);
const allAreBack = async () =>
  readers.every((reader) => reader.isConnected()) &&
  (await subscriptions()) === readers.length;

await until('all are subscribed', allAreBack);
await using writer = startWriter(nginx.url);
await until('some is written', () => writer.writes > 5);
const began: number[] = [];

await check(
  `three replicas are replaced under ${readers.length} subscriptions`,
  async () => {
    for (const port of ports) {
      await nginx.routeTo(
        ports.filter((other) => other !== port),
        { withStreams: true },
      );
      began.push(performance.now());
      equal(await fleet.stop(port), 0);
      await fleet.start(port);
      await nginx.routeTo(ports, { withStreams: true });
    }
    await until('all are back', allAreBack);
    const written = writer.writes;
    await until('more is written', () => writer.writes > written + 5);
    await writer[Symbol.asyncDispose]();
    deepEqual(writer.failures, []);
  },
);

/** The way back of each client that lost its connection. Unit: milliseconds; infinite: it did not come back. */
const returns = readers.flatMap(({ library, lost, back }) =>
  lost.map((at) => ({
    library,
    lost: at,
    back: back.find((later) => later > at) ?? Number.POSITIVE_INFINITY,
  })),
);

/** The most clients that came back within a tenth of a second. */
const mostInATenth = (some: typeof returns): number =>
  Math.max(
    0,
    ...some.map(
      ({ back: from }) =>
        some.filter(({ back }) => back >= from && back < from + 100).length,
    ),
  );

const print = (...cells: readonly (string | number)[]) =>
  process.stdout.write(`  | ${cells.join(' | ')} |\n`);
const toSeconds = (ms = Number.NaN): string => (ms / 1000).toFixed(1);

await check('every client comes back, and not all in one moment', async () => {
  print('restart', 'sent away', 'all are back after', 'most in a tenth');
  for (const [index, from] of began.entries()) {
    const to = began[index + 1] ?? Number.POSITIVE_INFINITY;
    const own = returns.filter(({ lost }) => lost >= from && lost < to);
    const last = Math.max(...own.map(({ back }) => back)) - from;
    print(index + 1, own.length, toSeconds(last), mostInATenth(own));
    ok(Number.isFinite(last), 'not all have come back');
    ok(own.length >= readers.length / 6, 'few clients were sent away');
    for (const library of Object.keys(LIBRARIES)) {
      const alike = own.filter((one) => one.library === library);
      ok(mostInATenth(alike) < alike.length, `${library}: all in one moment`);
    }
  }
  print('library', 'sent away', 'away: shortest', 'median', 'longest');
  for (const library of Object.keys(LIBRARIES)) {
    const times = returns
      .filter((one) => one.library === library)
      .map(({ lost, back }) => back - lost)
      .toSorted((one, other) => one - other);
    const median = times[Math.floor(times.length / 2)];
    const shown = [times[0], median, times.at(-1)].map(toSeconds);
    print(library, times.length, ...shown);
  }
});

await check('no client has missed anything, and none reads the list again', async () => {
  const list = await readMessages(nginx.url, TOKENS[0]);
  const sum = (count: (reader: Reader) => number) =>
    readers.reduce((total, reader) => total + count(reader), 0);
  const missed = () => sum(({ messages }) => differences(messages(), list));
  // What a client has missed comes in no later event.
  await until('all have the list', () => missed() === 0).catch(() => {});
  const twice = sum(({ heard }) => heard.length - new Set(heard).size);
  const again = sum((reader) => reader.readings()) - readers.length;
  /** Writes while the client was away: it heard of them, and of all others, without reading the list. */
  const away = returns.map(
    ({ lost, back }) => writer.began.filter((at) => at > lost && at < back).length,
  );
  print(
    `${readers.length} subscriptions, ${began.length} restarts, ${writer.writes} writes, ${sum(({ heard }) => heard.length)} events; ${missed()} missed, ${twice} events twice; the list was read again ${again} times`,
  );
  const failures = readers.flatMap((reader) => reader.failures);
  deepEqual(failures, []);
  equal(missed(), 0);
  equal(twice, 0);
  equal(again, 0);
  ok(Math.max(...away) > 2, 'little was written while clients were away');
});
