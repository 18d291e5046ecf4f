import { type Answers, DEFAULT_ANSWERS } from '../../src/embedded/answers.ts';
import type { ProbeReport } from '../../src/probe/probe.ts';
import { pointOf } from './support.ts';

export type Verdict = 'right' | 'unknown' | 'wrong';

type Judge = (report: ProbeReport, answers: Answers) => Verdict;

const equal = (found: unknown, expected: unknown): Verdict => {
  if (found === null || found === undefined) return 'unknown';
  return JSON.stringify(found) === JSON.stringify(expected) ? 'right' : 'wrong';
};

/** Null is right if nothing is expected. */
const equalOrNone = (found: unknown, expected: unknown): Verdict =>
  expected === null && found === null ? 'right' : equal(found, expected);

/** The key paths of the sample attachments, in each shape. */
const PATHS: Record<Answers['attachments'], string> = {
  bare: 'type',
  flat: 'type url width height bytes caption name mime duration latitude longitude live',
  nested:
    'type url size.width size.height size.bytes caption file.name file.mime file.bytes duration waveform[] location.name location.position.latitude location.position.longitude location.live',
};

/** Compares each finding with the answers of the service. */
const JUDGES: Record<string, Judge> = {
  // Some paths may be missing: short pages have few attachments.
  '2 attachment fields': (report, { attachments }) => {
    const { finding } = pointOf<readonly string[]>(report, 2);
    if (finding === null) return 'unknown';
    const paths = PATHS[attachments].split(' ');
    const isRight = finding.every((line) => paths.includes(line.split(':')[0] ?? ''));
    return isRight ? 'right' : 'wrong';
  },
  '4 timestamp unit': (report, { timestampUnit }) =>
    equal(pointOf(report, 4).finding, timestampUnit),
  '6 status of reads': (report, { readStatus }) =>
    equal(pointOf(report, 6).finding, [readStatus]),
  '8 paging': (report, { paging }) =>
    equal(pointOf(report, 8).finding?.style, paging === 'none' ? 'limit' : paging),
  '8 name of the parameter': (report, { paging, pagingParam }) => {
    const expected = paging === 'none' ? null : (pagingParam ?? paging);
    return equalOrNone(pointOf(report, 8).finding?.param, expected);
  },
  '8 name of the backward parameter': (report, { paging, pagingBackParam }) => {
    const expected =
      paging === 'starting_after' ? (pagingBackParam ?? 'ending_before') : null;
    return equalOrNone(pointOf(report, 8).finding?.backParam, expected);
  },
  '8 unknown cursor': (report, { paging, unknownCursor }) => {
    const expected = paging === 'starting_after' ? unknownCursor : null;
    return equalOrNone(pointOf(report, 8).finding?.unknownCursor, expected);
  },
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
  '16 maximum limit': (report, { maxLimit, aboveMaxLimit }) => {
    const { finding } = pointOf(report, 16);
    if (finding === null) return 'unknown';
    // The probe requests at most 1001 items.
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
  'points that reads cannot settle': (report) => {
    const unsettled = ([1, 3, 5, 7, 10, 11, 12, 13, 14, 18, 19] as const).map((number) =>
      pointOf(report, number),
    );
    return unsettled.every(({ finding }) => finding === null) ? 'unknown' : 'wrong';
  },
};

/** One verdict for each judge. */
export function judge(
  report: ProbeReport,
  answers: Partial<Answers>,
): Record<string, Verdict> {
  const all: Answers = { ...DEFAULT_ANSWERS, ...answers };
  return Object.fromEntries(
    Object.entries(JUDGES).map(([name, verdictOf]) => [name, verdictOf(report, all)]),
  );
}
