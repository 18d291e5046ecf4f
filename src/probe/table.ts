import { describeFields } from './fields.ts';
import type { PointReport, ProbeReport } from './probe.ts';

type Row = readonly string[];

/** Unit: characters. */
const MIN_WIDTH = 80;
const MAX_WIDTH = 140;
const GAP = '  ';
/** Widths of the columns before the evidence, which takes the rest of the line. */
const WIDTHS = [2, 22, 30, 9] as const;

/** The report for a person: the findings, then the unknown points, then the settings. */
export function toTable(report: ProbeReport, columns: number): string {
  const width = Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, columns));
  const isFound = ({ confidence }: PointReport) => confidence !== 'unknown';
  const found = report.points.filter(isFound);
  const rest = report.points.filter((point) => !isFound(point));
  return [
    ...toRows(['#', 'open point', 'found', 'sure?', 'evidence'], width),
    '-'.repeat(width),
    ...found.flatMap((point) => toRows(toRow(point), width)),
    '',
    'Unknown, and why:',
    ...rest.flatMap((point) => toRows(toRow(point), width, [2, 22])),
    '',
    ...toFieldLines(report, width),
    '',
    'Settings:',
    ...toEnv(report).map((line) => `  ${line}`),
    '',
    `The probe made ${report.calls} calls, all of them reads.${
      report.stopped === null ? '' : ` It ended early: ${report.stopped}.`
    }`,
  ].join('\n');
}

/** The settings as lines of an environment file. */
export const toEnv = ({ settings }: ProbeReport): string[] =>
  Object.entries(settings).map(([name, value]) => `${name}=${value}`);

const toRow = ({ number, title, words, confidence, evidence }: PointReport): Row =>
  confidence === 'unknown'
    ? [String(number), title, evidence]
    : [String(number), title, words, confidence, evidence];

function toFieldLines({ fields }: ProbeReport, width: number): string[] {
  const rows = describeFields(fields);
  if (rows.length === 0) return ['Fields: as in the interface.'];
  return ['Fields:', ...rows.flatMap((row) => toRows(row, width, [30]))];
}

/** The lines of one row; the column after `widths` takes the rest of the width. */
function toRows(row: Row, width: number, widths: readonly number[] = WIDTHS): string[] {
  const used = widths.reduce((sum, one) => sum + one + GAP.length, 0);
  const all = [...widths, Math.max(20, width - used)];
  const cells = row.map((text, index) => wrap(text, all[index] ?? width));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, index) => (lines[line] ?? '').padEnd(all[index] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}

/** Breaks between words, and within a word only if it is longer than a line. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((one) => chop(one, width))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

const chop = (word: string, width: number): string[] =>
  word.match(new RegExp(`.{1,${width}}`, 'gsu')) ?? [''];
