/**
 * Searches for the request that blocks the gateway longest, or makes it gain the most memory, for each byte sent.
 * Linux only, because it reads memory from /proc.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createExecutableSchema } from '../../src/resolvers/schema.ts';
import { AIMS, type Tried } from './archive.ts';
import { FIRST_GENERATION } from './known/first-generation.ts';
import { describe, describeBreach, describeProgress, summarise } from './print.ts';
import { type Found, type Limits, repeat, search, toBreach } from './search.ts';
import { startAttackService } from './trial/service.ts';
import { createTries } from './trial/try.ts';

const MEGABYTE = 1_000_000;
const PROGRESS_MS = 10_000;
/** How many requests of each aim are saved. */
const SAVED = 10;
const USAGE = `npm run attack -- [options]
  --minutes <n>    how long to search; 10
  --tries <n>      how many requests to try at most
  --seed <n>       of all random choices; by default a new one. Choices also depend on what was measured
  --block <n>      the limit of one block of the event loop, in milliseconds; 300
  --memory <n>     the limit of the memory gained, in megabytes; 200
  --out <file>     where to save the worst, as JSON; a file in the temporary folder
  --replay <file>  repeat the requests of such a file, or one of the first generation by its name, instead of searching
  --only <id>      of the file, repeat only this one
Ctrl-C ends the search and prints what was found. Exit status 1: a limit is broken, or an answer was 5xx, or a crash.`;

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    tries: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    block: { type: 'string', default: '300' },
    memory: { type: 'string', default: '200' },
    out: { type: 'string', default: join(tmpdir(), 'messaging-graphql-attack.json') },
    replay: { type: 'string' },
    only: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});
const limits: Limits = {
  blockMs: Number(values.block),
  gained: Number(values.memory) * MEGABYTE,
};

async function main(): Promise<void> {
  if (values.help) {
    say(USAGE);
    return;
  }
  await using service = await startAttackService();
  const schema = createExecutableSchema();
  await using tryer = createTries(service, schema);
  if (values.replay !== undefined) {
    for (const one of readRequests(values.replay)) {
      const tried = await repeat(one, tryer);
      const of = toBreach(tried.figures, limits);
      say(`${of === null ? '' : `${of}: `}${describe(tried)}`);
      if (of !== null) process.exitCode = 1;
    }
    return;
  }

  let isOver = false;
  const stop = () => {
    isOver = true;
  };
  // More than once, because npm passes on a signal that has arrived already.
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  const end = performance.now() + Number(values.minutes) * 60_000;
  let sayNext = 0;
  say(`seed ${values.seed}`);
  const found = await search({
    seed: Number(values.seed),
    tries: Number(values.tries),
    isOver: () => isOver || performance.now() > end,
    limits,
    schema,
    tryer,
    onTry(progress) {
      if (performance.now() < sayNext) return;
      sayNext = performance.now() + PROGRESS_MS;
      say(describeProgress(progress));
      save(progress);
    },
    onBreach: (breach) => say(`  broken: ${describeBreach(breach)}`),
  });
  save(found);
  say(summarise(found, values.out));
  if (found.breaches.length > 0) process.exitCode = 1;
}

/** Saves broken limits and the worst of each aim, each request once. */
function save({ archive, breaches }: Found): void {
  const worst = [...breaches, ...AIMS.flatMap((aim) => archive.worst(aim, SAVED))];
  const distinct = new Map(worst.map((one): [string, Tried] => [one.id, one]));
  writeFileSync(values.out, JSON.stringify([...distinct.values()], null, 1));
}

/** The requests of a saved file, or one of the first generation. */
function readRequests(given: string): readonly Pick<Tried, 'id' | 'genome'>[] {
  const named = FIRST_GENERATION.find(({ name }) => name === given);
  if (named !== undefined) return [{ id: given, genome: named }];
  const saved = JSON.parse(readFileSync(given, 'utf8')) as Tried[];
  return saved.filter(({ id }) => values.only === undefined || values.only === id);
}

await main();
