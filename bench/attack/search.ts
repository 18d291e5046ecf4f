import { createHash } from 'node:crypto';
import { createRandom, type Random } from '../../src/embedded/sample/random.ts';
import { type Archive, createArchive, kindOf, lostShare, type Tried } from './archive.ts';
import type { Case } from './case.ts';
import { cross, mutate, randomCase } from './change.ts';
import { KNOWN } from './known/all.ts';
import type { Figures, Tries } from './trial/try.ts';

/** What one request may do to the gateway. */
export interface Limits {
  /** Unit: milliseconds. */
  readonly blockMs: number;
  /** Unit: bytes. */
  readonly gained: number;
  /** The share of B's requests that may stay without their answer, 0 to 1. */
  readonly lost: number;
}

export interface SearchOptions {
  readonly seed: number;
  /** When to stop: after this many tries, or when it says so. */
  readonly tries: number;
  readonly isOver: () => boolean;
  readonly limits: Limits;
  readonly tryer: Tries;
  readonly onTry: (progress: Found) => void;
}

/** A request that is worse than a limit each time that it is repeated. */
interface Breach extends Tried {
  readonly of: string;
}

export interface Found {
  readonly tried: number;
  readonly archive: Archive;
  readonly breaches: readonly Breach[];
}

/** The share of new requests that have two parents. */
const CROSSED = 0.25;
/** The share that have none: they are random. */
const NEW = 0.06;
/** A candidate is repeated this often. The medians count, because the machine may be busy. */
const REPEATS = 3;
/** From this share of a limit on, a request is repeated on new processes: on an old one it may have gained less memory. */
const NEAR = 0.75;
/** A candidate of a known kind is repeated only if it is worse than the last one by this factor. */
const NEWS = 1.25;

/** Changes requests, again and again, towards those that do the worst to the gateway. */
export async function search(options: SearchOptions): Promise<Found> {
  const { seed, tries, isOver, tryer, onTry } = options;
  const random = createRandom(seed);
  const archive = createArchive();
  const breaches: Breach[] = [];
  const isNews = createJudge(options.limits);
  let tried = 0;
  while (tried < tries && !isOver()) {
    const next = KNOWN[tried] ?? change(archive, random);
    const figures = await tryer.run(next);
    tried += 1;
    const one = { id: toId(next), case: next, figures };
    const candidate = isNews(one) ? await repeat(one, tryer) : one;
    archive.add(candidate);
    const of = toBreach(candidate.figures, options.limits);
    if (of !== null && candidate !== one) {
      breaches.push({ ...candidate, of });
    }
    onTry({ tried, archive, breaches });
  }
  return { tried, archive, breaches };
}

function change(archive: Archive, random: Random): Case {
  const parent = random.chance(NEW) ? null : archive.pick(random);
  if (parent === null) return randomCase(random);
  const other = random.chance(CROSSED) ? archive.pick(random) : null;
  return mutate(other === null ? parent : cross(parent, other, random), random);
}

/** Names a case by what it holds. */
const toId = (one: Case): string =>
  createHash('sha256').update(JSON.stringify(one)).digest('hex').slice(0, 10);

/** Returns a function that says whether a request is worth being repeated. */
function createJudge({ blockMs, gained, lost }: Limits): (tried: Tried) => boolean {
  const seen = new Map<string, number>();
  const near = { blockMs: blockMs * NEAR, gained: gained * NEAR, lost: lost * NEAR };
  return (tried) => {
    const { figures } = tried;
    const of = toBreach(figures, near);
    if (of === null) return false;
    // Without the details of a crash, which differ each time.
    const key = `${kindOf(tried)}: ${of.split(':')[0]}`;
    const excess = Math.max(
      figures.blockMs / blockMs,
      figures.gained / gained,
      lostShare(figures.others) / lost,
    );
    const known = seen.get(key);
    if (known !== undefined && excess < known * NEWS) return false;
    seen.set(key, excess);
    return true;
  };
}

/** Which limit is broken; null for none. */
export function toBreach(
  { failure, blockMs, gained, others }: Figures,
  limits: Limits,
): string | null {
  if (failure !== null) return failure;
  if (blockMs > limits.blockMs) return 'block';
  if (gained > limits.gained) return 'memory';
  if (others.different > 0) return 'B got other bytes';
  return lostShare(others) > limits.lost ? 'B lost answers' : null;
}

/** Tries a request on new processes, and returns the medians of the figures. */
export async function repeat(
  tried: Pick<Tried, 'id' | 'case'>,
  tryer: Tries,
): Promise<Tried> {
  const all: Figures[] = [];
  while (all.length < REPEATS) all.push(await tryer.runFresh(tried.case));
  const middleBy = (of: (figures: Figures) => number): Figures =>
    all.toSorted((one, other) => of(one) - of(other))[Math.floor(REPEATS / 2)] as Figures;
  const failures = all.filter(({ failure }) => failure !== null);
  const usual =
    failures.length > REPEATS / 2
      ? failures
      : all.filter((one) => !failures.includes(one));
  return {
    ...tried,
    figures: {
      ...(usual[0] as Figures),
      blockMs: middleBy(({ blockMs }) => blockMs).blockMs,
      gained: middleBy(({ gained }) => gained).gained,
      others: middleBy(({ others }) => lostShare(others)).others,
    },
  };
}
