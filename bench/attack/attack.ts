/**
 * Searches for the request, or the sequence of requests, that blocks the gateway longest, makes it gain the most memory, in all
 * or for each byte sent, or takes the most answers from another caller.
 * Linux only, because it reads memory from /proc.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MEGABYTE } from '../process.ts';
import { AIMS, type Tried } from './archive.ts';
import type { Case } from './case.ts';
import { KNOWN } from './known/all.ts';
import { SEQUENCES } from './known/sequences.ts';
import { WORST } from './known/worst.ts';
import { describe, describeProgress, summarise } from './print.ts';
import { type Found, repeat, search, toBreach } from './search.ts';
import { startBeside } from './trial/beside.ts';
import { createTries } from './trial/try.ts';

const PROGRESS_MS = 10_000;
/** How many requests of each aim are saved. */
const SAVED = 10;
const USAGE = `npm run attack -- [options]
  --minutes <n>    how long to search; 10
  --tries <n>      how many requests to try at most
  --seed <n>       the seed of all random choices; by default a new one. Choices also depend on what was measured
  --block <n>      the limit of one block of the event loop, in milliseconds; 300
  --lost <n>       how many of a hundred requests of another caller may be answered late, otherwise or not at all; 10
  --memory <n>     the limit of the memory gained, in megabytes; 200
  --out <file>     where to save the worst, as JSON; a file in the temporary folder
  --replay <file>  repeat the requests of such a file, or a known attack by its name (bench/attack/known/), or all of the lists sequences or worst
  --only <id>      of the file, repeat only this one
Ctrl-C ends the search and prints what was found. Exit status 1: a limit is broken, or an answer was 5xx, or a crash.`;

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

/** Reads the command line. Throws an Error that says what is wrong with it. */
function parseOptions(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '10' },
      tries: { type: 'string', default: 'Infinity' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      block: { type: 'string', default: '300' },
      memory: { type: 'string', default: '200' },
      lost: { type: 'string', default: '10' },
      out: { type: 'string', default: join(tmpdir(), 'messaging-graphql-attack.json') },
      replay: { type: 'string' },
      only: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const number = (name: 'minutes' | 'tries' | 'seed' | 'block' | 'memory' | 'lost') => {
    const value = Number(values[name]);
    // A number that is not one would end no search and break no limit.
    if (value >= 0) return value;
    throw new Error(`--${name} takes a number, not "${values[name]}"`);
  };
  return {
    ...values,
    minutes: number('minutes'),
    tries: number('tries'),
    seed: number('seed'),
    limits: {
      blockMs: number('block'),
      gained: number('memory') * MEGABYTE,
      lost: number('lost') / 100,
    },
  };
}

async function main(options: ReturnType<typeof parseOptions>): Promise<void> {
  const { limits, out } = options;
  await using beside = await startBeside();
  await using tryer = createTries(beside);
  if (options.replay !== undefined) {
    for (const one of readRequests(options.replay, options.only)) {
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
  const end = performance.now() + options.minutes * 60_000;
  let sayNext = 0;
  say(`seed ${options.seed}`);
  const found = await search({
    seed: options.seed,
    tries: options.tries,
    isOver: () => isOver || performance.now() > end,
    limits,
    tryer,
    onTry(progress) {
      if (performance.now() < sayNext) return;
      sayNext = performance.now() + PROGRESS_MS;
      say(describeProgress(progress));
      save(progress, out);
    },
  });
  save(found, out);
  say(summarise(found, out));
  if (found.breaches.length > 0) process.exitCode = 1;
}

/** Saves broken limits and the worst of each aim, each request once. */
function save({ archive, breaches }: Found, file: string): void {
  const worst = [...breaches, ...AIMS.flatMap((aim) => archive.worst(aim, SAVED))];
  const distinct = new Map(worst.map((one): [string, Tried] => [one.id, one]));
  writeFileSync(file, JSON.stringify([...distinct.values()], null, 1));
}

/** The known attack of this name, or the requests of a saved file: all, or the one with the id `only`. */
function readRequests(
  given: string,
  only: string | undefined,
): readonly Pick<Tried, 'id' | 'case'>[] {
  const lists: Record<string, readonly Case[]> = { sequences: SEQUENCES, worst: WORST };
  const all = [...KNOWN, ...WORST];
  const named = lists[given] ?? all.filter(({ name }) => name === given);
  if (named.length > 0) return named.map((one) => ({ id: one.name, case: one }));
  if (!existsSync(given)) {
    throw new Error(`--replay: there is no file and no known attack "${given}"`);
  }
  const saved = JSON.parse(readFileSync(given, 'utf8')) as Tried[];
  return saved.filter(({ id }) => only === undefined || only === id);
}

try {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) say(USAGE);
  else await main(options);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
