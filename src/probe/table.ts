import { describeFields } from './fields.ts';
import type { ProbeReport } from './probe.ts';

const GAP = '  ';

/** The report for a person: the findings, then the unknown points, then the settings. */
export function toTable(report: ProbeReport, columns = 120): string {
  const width = Math.min(140, Math.max(80, columns));
  const { points, fields, calls, stopped } = report;
  const found = points.filter(({ confidence }) => confidence !== 'unknown');
  const rest = points.filter(({ confidence }) => confidence === 'unknown');
  const differences = describeFields(fields);
  return [
    ...toRows(['#', 'open point', 'found', 'sure?', 'evidence'], width),
    '-'.repeat(width),
    ...found.flatMap(({ number, title, words, confidence, evidence }) =>
      toRows([`${number}`, title, words, confidence, evidence], width),
    ),
    '',
    'Unknown, and why:',
    ...rest.flatMap(({ number, title, evidence }) =>
      toRows([`${number}`, title, evidence], width),
    ),
    '',
    ...(differences.length === 0
      ? ['Fields: as in the interface.']
      : ['Fields:', ...differences.flatMap((row) => toRows(row, width, [30]))]),
    '',
    'Settings:',
    ...toEnv(report).map((line) => `  ${line}`),
    '',
    `The probe made ${calls} calls, all of them reads.${
      stopped === null ? '' : ` It ended early: ${stopped}.`
    }`,
  ].join('\n');
}

/** The settings as lines of an environment file. */
export const toEnv = ({ settings }: ProbeReport): string[] =>
  Object.entries(settings).map(([name, value]) => `${name}=${value}`);

/** The lines of one row. The last cell takes the rest of the width. */
function toRows(
  row: readonly string[],
  width: number,
  columns: readonly number[] = [2, 22, 30, 9],
): string[] {
  const widths = columns.slice(0, row.length - 1);
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

/** Breaks between words; within a word only if it is longer than a line, and never within a character of two code units. */
function wrap(text: string, width: number): string[] {
  const line = `(?! ).{1,${width}}`;
  return (
    text.match(new RegExp(`${line}(?= |$)|${line}(?![\\udc00-\\udfff])`, 'gs')) ?? ['']
  );
}
