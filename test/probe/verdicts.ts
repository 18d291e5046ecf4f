import { type Answers, DEFAULT_ANSWERS } from '../../src/embedded/answers.ts';
import type { ProbeReport } from '../../src/probe/probe.ts';
import { pointOf } from './service.ts';

export type Verdict = 'right' | 'unknown' | 'wrong';

type Judge = (report: ProbeReport, answers: Answers) => Verdict;

const equal = (found: unknown, told: unknown): Verdict => {
  if (found === null || found === undefined) return 'unknown';
  return JSON.stringify(found) === JSON.stringify(told) ? 'right' : 'wrong';
};

/** A null that says "there is none" is right where there is none, and unknown where there is one. */
const equalOrNone = (found: unknown, told: unknown): Verdict =>
  told === null && found === null ? 'right' : equal(found, told);

/** Every path the sample attachments have, in each shape. */
const PATHS: Record<Answers['attachments'], string> = {
  bare: 'type',
  flat: 'type url width height name duration latitude longitude',
  nested:
    'type url size.width size.height size.bytes caption file.name file.mime file.bytes duration waveform[] location.name location.position.latitude location.position.longitude location.live',
};

/** What is told of each point, against what the service was told to be. */
const JUDGES: Record<string, Judge> = {
  // Those of the attachments seen: short pages hold few.
  '2 attachment fields': (report, { attachments }) => {
    const { finding } = pointOf(report, 2);
    if (finding === null) return 'unknown';
    const there = new Set(PATHS[attachments].split(' '));
    return finding.every((line) => there.has(line.split(':')[0] ?? ''))
      ? 'right'
      : 'wrong';
  },
  '4 timestamp unit': (report, { timestampUnit }) =>
    equal(pointOf(report, 4).finding, timestampUnit),
  '6 status of reads': (report, { readStatus }) =>
    equal(pointOf(report, 6).finding, [readStatus]),
  '8 paging': (report, { paging }) =>
    equal(pointOf(report, 8).finding?.style, paging === 'none' ? 'limit' : paging),
  '8 name of the parameter': (report, { paging, pagingParam }) => {
    const told = paging === 'none' ? null : (pagingParam ?? paging);
    return equalOrNone(pointOf(report, 8).finding?.param, told);
  },
  '8 name of the way back': (report, { paging, pagingBackParam }) => {
    const told =
      paging === 'starting_after' ? (pagingBackParam ?? 'ending_before') : null;
    return equalOrNone(pointOf(report, 8).finding?.backParam, told);
  },
  '8 unknown id there': (report, { paging, unknownCursor }) =>
    equalOrNone(
      pointOf(report, 8).finding?.unknownCursor,
      paging === 'starting_after' ? unknownCursor : null,
    ),
  '9 order': (report, { order }) => {
    const { finding } = pointOf(report, 9);
    return equal(
      finding && [finding.messages, finding.conversations, finding.conversationsBy],
      [order, order, order === 'id' ? 'id' : 'last_active_at'],
    );
  },
  '15 error format': (report, { errorFormat }) =>
    equal(pointOf(report, 15).finding?.format, errorFormat),
  '15 unknown id': (report, { unknownId }) => {
    const { finding } = pointOf(report, 15);
    return equal(finding && [finding.unknownMessage, finding.unknownConversation], [
      unknownId,
      unknownId,
    ]);
  },
  '15 bad token': (report) => equal(pointOf(report, 15).finding?.badToken, 401),
  '16 greatest limit': (report, { maxLimit, aboveMaxLimit }) => {
    const { finding } = pointOf(report, 16);
    if (finding === null) return 'unknown';
    // Beyond a page of 1001 the probe does not ask, and says so.
    if (maxLimit === null || maxLimit > 1000) {
      return finding.max === null && finding.atLeast === 1001 ? 'right' : 'wrong';
    }
    const above = aboveMaxLimit === 'cap' ? 'capped' : aboveMaxLimit;
    return equal([finding.max, finding.above], [maxLimit, above]);
  },
  '17 rate limits': (report, { rateLimit, retryAfter }) => {
    const { finding } = pointOf(report, 17);
    if (finding === null) return 'unknown';
    return rateLimit === null ? 'wrong' : equal(finding.retryAfter, retryAfter);
  },
};

/** Points that only writing would settle; anything but unknown is wrong. */
const SILENT = [1, 3, 5, 7, 10, 11, 12, 13, 14, 18, 19] as const;
for (const number of SILENT) {
  JUDGES[`${number} (only by writing or asking)`] = (report) =>
    pointOf(report, number).finding === null ? 'unknown' : 'wrong';
}

/** One verdict for each point. */
export const judge = (
  report: ProbeReport,
  answers: Partial<Answers>,
): Record<string, Verdict> =>
  Object.fromEntries(
    Object.entries(JUDGES).map(([name, verdictOf]) => [
      name,
      verdictOf(report, { ...DEFAULT_ANSWERS, ...answers }),
    ]),
  );

/** How often each point was found right, left unknown, and found wrong; a line each. */
export function tally(verdicts: readonly Record<string, Verdict>[]): string[] {
  return Object.keys(JUDGES).map((name) => {
    const count = (wanted: Verdict) =>
      verdicts.filter((one) => one[name] === wanted).length;
    return `${name.padEnd(34)} right ${count('right')}, unknown ${count('unknown')}, wrong ${count('wrong')}`;
  });
}
