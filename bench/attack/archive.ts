import type { Random } from '../../src/embedded/sample/random.ts';
import { type Case, fieldOf, PLAIN_SERVICE as PLAIN, type Service } from './case.ts';
import type { Figures } from './trial/try.ts';

/** A case that was tried. */
export interface Tried {
  /** Repeats it: `--replay <file> --only <id>`. */
  readonly id: string;
  readonly case: Case;
  readonly figures: Figures;
}

/** The share of B's requests that were not answered as they are without A, 0 to 1. */
export const lostShare = ({ asked, answered }: Figures['others']): number =>
  asked === 0 ? 0 : 1 - answered / asked;

/** With about the size of the head that every request has. Unit: bytes. */
const sentBytes = ({ sent }: Figures): number => sent + 200;

/** What the search makes greater. */
const SCORES: Readonly<Record<string, (figures: Figures) => number>> = {
  block: ({ blockMs }) => blockMs,
  memory: ({ gained }) => gained,
  'block per byte': (figures) => figures.blockMs / sentBytes(figures),
  'memory per byte': (figures) => figures.gained / sentBytes(figures),
  'lost answers of B': ({ others }) => lostShare(others),
  'waits of B': ({ others }) => others.p99Ms,
};
export const AIMS = Object.keys(SCORES);

/** How often the next parent is the worst of several. Otherwise it is any one. */
const COMPETES = 0.7;
const COMPETITORS = 5;

export type Archive = ReturnType<typeof createArchive>;

/**
 * Keeps the worst case of each kind for each aim, so that the search goes on from cases of all kinds, and not from
 * variations of one.
 */
export function createArchive() {
  const elites = Object.entries(SCORES).map(([aim, score]) => ({
    aim,
    score,
    byKind: new Map<string, Tried>(),
  }));

  return {
    add(tried: Tried): void {
      const kind = kindOf(tried);
      for (const { score, byKind } of elites) {
        const known = byKind.get(kind);
        if (known === undefined || score(known.figures) < score(tried.figures))
          byKind.set(kind, tried);
      }
    },
    /** One of the worst; null while there is none. */
    pick(random: Random): Case | null {
      const { score, byKind } = random.pick(elites);
      const all = [...byKind.values()];
      if (all.length === 0) return null;
      const competitors = random.chance(COMPETES) ? COMPETITORS : 1;
      const drawn = Array.from({ length: competitors }, () => random.pick(all));
      return drawn.reduce((worst, one) =>
        score(one.figures) > score(worst.figures) ? one : worst,
      ).case;
    },
    /** The worst first, one of each kind. */
    worst(aim: string, count: number): Tried[] {
      const { score, byKind } = elites.find((one) => one.aim === aim) ?? {};
      if (score === undefined || byKind === undefined) return [];
      return [...byKind.values()]
        .sort((one, other) => score(other.figures) - score(one.figures))
        .slice(0, count);
    },
    kinds: () => elites[0]?.byKind.size ?? 0,
  };
}

/** The kind of a case: what it asks for, and what the service does. */
export function kindOf({ case: one, figures }: Tried): string {
  const { client, method, over, delivery } = one.transport;
  return [
    fieldOf(one),
    client === 'reads' ? method : client,
    over === 'HTTP' ? '' : over,
    delivery === 'whole' ? '' : delivery,
    one.turns.length === 0 ? '' : 'a sequence',
    one.watchers === 0 ? '' : 'watched',
    figures.calls === 0 ? 'no call' : kindOfService(one.service),
  ]
    .filter(Boolean)
    .join(', ');
}

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
