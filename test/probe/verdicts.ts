import { type Answers, DEFAULT_ANSWERS } from '../../src/embedded/answers.ts';
import type { ProbeReport } from '../../src/probe/probe.ts';
import { pointOf } from './support.ts';

type Verdict = 'right' | 'unknown' | 'wrong';

/** What a report has found about a point; null: nothing. */
type Find = (report: ProbeReport) => unknown;
/** What it should find; null: nothing. */
type Expect = (answers: Answers) => unknown;

/** The fields of the finding about a point. */
const of =
  (number: number, ...fields: readonly string[]): Find =>
  (report) => {
    const { finding } = pointOf(report, number);
    return finding && fields.map((field) => finding[field]);
  };

const ifKeyset = (expected: Expect): Expect => {
  return (answers) => [answers.paging === 'starting_after' ? expected(answers) : null];
};

const POINTS: Record<string, readonly [Find, Expect]> = {
  '4 timestamp unit': [
    (report) => pointOf(report, 4).finding,
    ({ timestampUnit }) => timestampUnit,
  ],
  '6 status of reads': [
    (report) => pointOf(report, 6).finding,
    ({ readStatus }) => [readStatus],
  ],
  '8 paging': [
    of(8, 'style', 'param'),
    ({ paging, pagingParam }) =>
      paging === 'none' ? ['limit', null] : [paging, pagingParam ?? paging],
  ],
  '8 name of the backward parameter': [
    of(8, 'backParam'),
    ifKeyset(({ pagingBackParam }) => pagingBackParam ?? 'ending_before'),
  ],
  '8 unknown cursor': [
    of(8, 'unknownCursor'),
    ifKeyset(({ unknownCursor }) => unknownCursor),
  ],
  '9 order': [
    of(9, 'messages', 'conversations', 'conversationsBy'),
    ({ order }) => [order, order, order === 'id' ? 'id' : 'last_active_at'],
  ],
  '15 error format': [
    of(15, 'format', 'unknownMessage', 'unknownConversation', 'badToken'),
    ({ errorFormat, unknownId }) => [errorFormat, unknownId, unknownId, 401],
  ],
  '16 maximum limit': [
    of(16, 'max', 'above', 'atLeast'),
    ({ maxLimit, aboveMaxLimit }) =>
      // At most 1001 items are asked for.
      maxLimit === null || maxLimit > 1000
        ? [null, null, 1001]
        : [maxLimit, aboveMaxLimit === 'cap' ? 'capped' : aboveMaxLimit, maxLimit],
  ],
  '17 rate limits': [
    of(17, 'retryAfter'),
    ({ rateLimit, retryAfter }) => (rateLimit === null ? null : [retryAfter]),
  ],
};

/** The key paths of the sample attachments, in each shape. Short pages may lack some. */
const PATHS: Record<Answers['attachments'], string> = {
  bare: 'type',
  flat: 'type url width height bytes caption name mime duration latitude longitude live',
  nested:
    'type url size.width size.height size.bytes caption file.name file.mime file.bytes duration waveform[] location.name location.position.latitude location.position.longitude location.live',
};
const UNSETTLED = [1, 3, 5, 7, 10, 11, 12, 13, 14, 18, 19];

/** One verdict for each point. */
export function judge(
  report: ProbeReport,
  options: Partial<Answers>,
): Record<string, Verdict> {
  const answers: Answers = { ...DEFAULT_ANSWERS, ...options };
  const verdicts = Object.entries(POINTS).map(([name, [find, expected]]) => {
    const found = find(report);
    const isRight = JSON.stringify(found) === JSON.stringify(expected(answers));
    return [name, isRight ? 'right' : found === null ? 'unknown' : 'wrong'] as const;
  });
  const paths = PATHS[answers.attachments].split(' ');
  const attachments = pointOf<readonly string[]>(report, 2).finding ?? [];
  const isRight = attachments.every((line) => paths.includes(line.split(':')[0] ?? ''));
  const isUnsettled = UNSETTLED.every((point) => pointOf(report, point).finding === null);
  return {
    ...Object.fromEntries(verdicts),
    '2 attachment fields': isRight ? 'right' : 'wrong',
    'points that reads cannot settle': isUnsettled ? 'right' : 'wrong',
  };
}
