import { type Document, NAMES } from './document.ts';
import type { Compared } from './run.ts';
import type { Step } from './session.ts';

/** One request of B, with the requests of A before and beside it. */
interface Counted {
  readonly compared: Compared;
  readonly document: Document;
  readonly ofA: readonly Step[];
  readonly ofB: Step;
}

/** What makes comparing a request of B worth something, and how often it is the case. Unit: share of all, 0 to 1. */
const LEAST = {
  'answered with data': 0.6,
  'A ran the same operation before or beside it': 0.3,
  'its document has conditions': 0.6,
  'it left out a field': 0.3,
  'another operation gives its variables other types': 0.5,
  'it wrote': 0.05,
  'it read several pages': 0.02,
  'the service refused it': 0.02,
  'the gateway refused it': 0.02,
  'A was under way': 0.1,
  'over HTTP': 0.05,
  'by its hash alone': 0.005,
} as const;
type Trait = keyof typeof LEAST;

export interface Tally {
  /** How many pairs of callers were compared. */
  pairs: number;
  /** The answers that say that the gateway itself failed, and not the service or the request. */
  readonly failures: string[];
  count(counted: Counted): void;
  /** The traits that are rarer than they must be, with their shares. */
  tooRare(): string[];
}

export function createTally(): Tally {
  const counts = new Map<Trait, number>();
  const failures: string[] = [];
  let all = 0;
  return {
    pairs: 0,
    failures,
    count(counted) {
      all += 1;
      const { answer } = counted.compared.alone;
      if (/"INTERNAL_SERVER_ERROR"|^5\d\d /.test(answer))
        failures.push(`${counted.compared.request.query}\n${answer}`);
      for (const trait of traitsOf(counted))
        counts.set(trait, (counts.get(trait) ?? 0) + 1);
    },
    tooRare: () =>
      Object.entries(LEAST).flatMap(([trait, least]) => {
        const share = (counts.get(trait as Trait) ?? 0) / all;
        return share >= least ? [] : [`${trait}: ${share}`];
      }),
  };
}

function traitsOf({ compared, document, ofA, ofB }: Counted): Trait[] {
  const { request, alone } = compared;
  const { answer, reads, writes } = alone;
  const { operations } = document;
  const at = ofB.operation % operations.length;
  const isNone = reads.length + writes.length === 0;
  const traits: Record<Trait, boolean> = {
    'answered with data': /"data":\{"/.test(answer),
    'A ran the same operation before or beside it': ofA.some(
      ({ operation }) => operation % operations.length === at,
    ),
    'its document has conditions': /@(skip|include)\(if: \$/.test(request.query),
    'it left out a field': leavesOut(compared, document, at),
    'another operation gives its variables other types': hasOtherTypes(document, at),
    'it wrote': writes.length > 0,
    'it read several pages': reads.filter((read) => /limit=/.test(read)).length > 1,
    'the service refused it': /"(NOT_FOUND|FORBIDDEN)"/.test(answer),
    'the gateway refused it': isNone && /"errors":/.test(answer),
    'A was under way': ofA.some(({ isBeside }) => isBeside),
    'over HTTP': ofB.way !== 'execute',
    'by its hash alone': request.isRegistered,
  };
  return (Object.keys(traits) as Trait[]).filter((trait) => traits[trait]);
}

/** Whether a flag of its own is false. Most flags stand in `@include`. */
const leavesOut = ({ request }: Compared, { operations }: Document, at: number) =>
  NAMES.some(
    (name, place) =>
      operations[at]?.variables[place]?.kind === 'flag' &&
      request.variables[name] === false,
  );

const hasOtherTypes = ({ operations }: Document, at: number): boolean =>
  operations.some(({ variables }) =>
    variables.some(({ kind }, place) => {
      const own = operations[at]?.variables[place]?.kind;
      return kind !== own && kind !== 'none' && own !== 'none';
    }),
  );
