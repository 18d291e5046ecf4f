import type { Random } from '../../src/embedded/sample/random.ts';
import type { Genome, Service } from './genome/genome.ts';
import { PLAIN_SERVICE as PLAIN } from './genome/plain.ts';
import type { Figures } from './trial/try.ts';

/** A request that was tried. */
export interface Tried {
  /** Repeats it: `--replay <file> --only <id>`. */
  readonly id: string;
  readonly genome: Genome;
  readonly figures: Figures;
}

/** What the search makes greater. */
export const AIMS = [
  'block',
  'memory',
  'block per byte',
  'memory per byte',
  'lost answers of B',
  'waits of B',
] as const;
type Aim = (typeof AIMS)[number];

/** The share of B's requests that were not answered as they are without A, 0 to 1. */
export const lostShare = ({ asked, answered }: Figures['others']): number =>
  asked === 0 ? 0 : 1 - answered / asked;

/** About the size of the head that every request has. Unit: bytes. */
const HEAD_BYTES = 200;

function score({ blockMs, gained, sent, others }: Figures, aim: Aim): number {
  if (aim === 'lost answers of B') return lostShare(others);
  if (aim === 'waits of B') return others.p99Ms;
  const bytes = aim.endsWith('per byte') ? sent + HEAD_BYTES : 1;
  return (aim.startsWith('block') ? blockMs : gained) / bytes;
}

/**
 * Keeps the worst request of each kind for each aim, so that the search goes on from requests of all kinds, and not from
 * variations of one.
 */
export interface Archive {
  /** Whether it was the worst of its kind for one aim. */
  add(tried: Tried): boolean;
  /** One of the worst; null while there is none. */
  pick(random: Random): Genome | null;
  /** The worst first, one of each kind. */
  worst(aim: Aim, count: number): readonly Tried[];
  readonly kinds: number;
}

/** How often the next parent is the worst of several. Otherwise it is any one. */
const COMPETES = 0.7;
const COMPETITORS = 5;

export function createArchive(): Archive {
  const elites = new Map<Aim, Map<string, Tried>>(AIMS.map((aim) => [aim, new Map()]));
  const of = (aim: Aim) => elites.get(aim) ?? new Map<string, Tried>();

  return {
    add(tried) {
      const kind = kindOf(tried.genome, tried.figures);
      let isElite = false;
      for (const aim of AIMS) {
        const known = of(aim).get(kind);
        if (known && score(known.figures, aim) >= score(tried.figures, aim)) continue;
        of(aim).set(kind, tried);
        isElite = true;
      }
      return isElite;
    },
    pick(random) {
      const aim = random.pick(AIMS);
      const [first, ...others] = of(aim).values();
      if (first === undefined) return null;
      const competitors = random.chance(COMPETES) ? COMPETITORS : 1;
      const drawn = Array.from({ length: competitors }, () =>
        random.pick([first, ...others]),
      );
      return drawn.reduce((worst, one) =>
        score(one.figures, aim) > score(worst.figures, aim) ? one : worst,
      ).genome;
    },
    worst: (aim, count) =>
      [...of(aim).values()]
        .sort((one, other) => score(other.figures, aim) - score(one.figures, aim))
        .slice(0, count),
    get kinds() {
      return of('block').size;
    },
  };
}

/** The kind of a request: what it asks for, and what the service does. */
export const kindOf = (
  { type, selections, transport, service, turns, watchers }: Genome,
  { calls }: Figures,
): string =>
  [
    selections[0]?.field ?? type,
    transport.client === 'reads' ? transport.method : transport.client,
    ...(transport.over === 'HTTP' ? [] : [transport.over]),
    ...(transport.delivery === 'whole' ? [] : [transport.delivery]),
    ...(turns.length === 0 ? [] : ['a sequence']),
    ...(watchers === 0 ? [] : ['watched']),
    calls === 0 ? 'no call' : kindOfService(service),
  ].join(', ');

function kindOfService(service: Service): string {
  const { mode, pace, oddField, drift, items, hasMore } = service;
  if (mode !== 'answers') return mode;
  if (pace !== 'whole') return pace;
  if (oddField !== '') return `odd ${oddField}`;
  if (drift > 0) return 'drift';
  const long = (['message', 'attachments', 'reactions'] as const).find(
    (field) => JSON.stringify(service[field]) !== JSON.stringify(PLAIN[field]),
  );
  return long ?? (items > 0 || hasMore ? 'pages' : 'plain');
}
