import { type Document, NAMES } from './document.ts';
import type { Compared } from './run.ts';
import type { Sent, SentByA } from './session.ts';

/** One request of B, with the requests of A before and beside it. */
interface Counted {
  readonly compared: Compared;
  readonly document: Document;
  readonly ofA: readonly SentByA[];
  readonly ofB: Sent;
}

/** What makes comparing a request of B worth something, with the least share of all that must have it: 0 to 1. */
const TRAITS: Readonly<
  Record<string, readonly [least: number, has: (counted: Counted) => boolean]>
> = {
  'answered with data': [0.6, ({ compared }) => /"data":\{"/.test(answerOf(compared))],
  'A ran the same operation before or beside it': [
    0.3,
    ({ ofA, ofB, document: { operations } }) =>
      ofA.some(
        ({ operation }) =>
          operation % operations.length === ofB.operation % operations.length,
      ),
  ],
  'its document has conditions': [
    0.6,
    ({ compared }) => /@(skip|include)\(if: \$/.test(compared.request.query),
  ],
  // Most flags stand in `@include`.
  'it left out a field': [
    0.3,
    (counted) =>
      operationOf(counted)?.kinds.some(
        (kind, place) => kind === 'flag' && givenFor(counted, place) === false,
      ) ?? false,
  ],
  'another operation gives its variables other types': [
    0.5,
    (counted) =>
      counted.document.operations.some(({ kinds }) =>
        kinds.some((kind, place) => {
          const own = operationOf(counted)?.kinds[place];
          return kind !== own && kind !== 'none' && own !== 'none';
        }),
      ),
  ],
  'it wrote': [0.05, ({ compared: { alone } }) => alone.writes.length > 0],
  'it read several pages': [
    0.02,
    ({ compared: { alone } }) =>
      alone.reads.filter((read) => /limit=/.test(read)).length > 1,
  ],
  'the service refused it': [
    0.02,
    ({ compared }) => /"(NOT_FOUND|FORBIDDEN)"/.test(answerOf(compared)),
  ],
  'the gateway refused it': [
    0.02,
    ({ compared }) =>
      compared.alone.reads.length + compared.alone.writes.length === 0 &&
      /"errors":/.test(answerOf(compared)),
  ],
  'A was under way': [0.1, ({ ofA }) => ofA.some(({ isBeside }) => isBeside)],
  'over HTTP': [0.05, ({ ofB }) => ofB.way !== 'execute'],
  'by its hash alone': [0.005, ({ compared }) => compared.request.isRegistered],
};

const answerOf = ({ alone }: Compared): string => alone.answer;
const operationOf = ({ document: { operations }, ofB }: Counted) =>
  operations[ofB.operation % operations.length];
const givenFor = ({ compared }: Counted, place: number): unknown =>
  compared.request.variables[NAMES[place] ?? ''];

export function createTally() {
  const counts = new Map<string, number>();
  let all = 0;
  return {
    count(counted: Counted) {
      all += 1;
      for (const [trait, [, has]] of Object.entries(TRAITS))
        if (has(counted)) counts.set(trait, (counts.get(trait) ?? 0) + 1);
    },
    /** The traits that are rarer than they must be, with their shares. */
    tooRare: () =>
      Object.entries(TRAITS).flatMap(([trait, [least]]) => {
        const share = (counts.get(trait) ?? 0) / all;
        return share >= least ? [] : [`${trait}: ${share}`];
      }),
  };
}
export type Tally = ReturnType<typeof createTally>;
