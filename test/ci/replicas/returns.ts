/** The way back of a client that lost its connection. Unit: milliseconds. */
export interface Return {
  readonly library: string;
  readonly lost: number;
  /** Infinite: it did not come back. */
  readonly back: number;
}

interface Connected {
  readonly library: string;
  readonly lost: readonly number[];
  readonly back: readonly number[];
}

export const returnsOf = (clients: readonly Connected[]): Return[] =>
  clients.flatMap(({ library, lost, back }) =>
    lost.map((at) => ({
      library,
      lost: at,
      back: back.find((later) => later > at) ?? Number.POSITIVE_INFINITY,
    })),
  );

/** Unit: milliseconds. */
const TENTH_MS = 100;

/** The most clients that came back within a tenth of a second. */
export const mostInATenth = (returns: readonly Return[]): number =>
  Math.max(
    0,
    ...returns.map(
      ({ back: from }) =>
        returns.filter(({ back }) => back >= from && back < from + TENTH_MS).length,
    ),
  );

/** Rows of a table in Markdown, with the times in seconds. */
export const toRow = (cells: readonly (string | number)[]): string =>
  `| ${cells.join(' | ')} |`;

export const toSeconds = (ms: number): string => (ms / 1000).toFixed(1);

/** The shortest, the middle and the longest time. */
export function toTimes(times: readonly number[]): string[] {
  const sorted = times.toSorted((one, other) => one - other);
  const at = [0, Math.floor(sorted.length / 2), sorted.length - 1];
  return at.map((index) => toSeconds(sorted[index] ?? Number.NaN));
}
