import { MEGABYTE } from '../process.ts';
import { AIMS, lostShare, type Tried } from './archive.ts';
import type { Breach, Found } from './search.ts';

/** How many requests are printed for each aim. */
const SHOWN = 10;

/** `3f1c  123 ms busy (140 ms by the clock, others waited 150 ms), gained 12.3 MB, 1234 bytes sent, 3 calls, answered 200, ...`. */
export function describe({ id, genome, figures }: Tried): string {
  const { blockMs, wallMs, waitedMs, gained, sent, copies, calls, seen, failure } =
    figures;
  const { status, code, answerBytes } = seen;
  return [
    `${id}  ${blockMs.toFixed()} ms busy (${wallMs.toFixed()} ms by the clock, others waited ${waitedMs.toFixed()} ms)`,
    `gained ${(gained / MEGABYTE).toFixed(1)} MB`,
    `${copies > 1 ? `${copies} times ` : ''}${sent} bytes sent`,
    `${calls} calls`,
    describeOthers(figures.others),
    failure ??
      `answered ${status}${code === null ? '' : ` ${code}`}, ${answerBytes} bytes`,
    genome.name || `${genome.type} ${genome.selections[0]?.field ?? ''}`,
  ].join(', ');
}

/** `B: 98.2 % of 120, p99 31 ms (alone 12)`. */
function describeOthers(others: Tried['figures']['others']): string {
  const { asked, different, p99Ms, aloneP99Ms } = others;
  const share = ((1 - lostShare(others)) * 100).toFixed(1);
  const odd = different > 0 ? `, ${different} different` : '';
  return `B: ${share} % of ${asked}${odd}, p99 ${p99Ms.toFixed()} ms (alone ${aloneP99Ms.toFixed()})`;
}

/** The worst requests, and how to repeat them. */
export function summarise({ tried, archive, breaches }: Found, file: string): string {
  const lines = [`${tried} requests tried, of ${archive.kinds} kinds.`];
  for (const aim of AIMS) {
    lines.push(`The worst by ${aim}, one of each kind:`);
    lines.push(...archive.worst(aim, SHOWN).map((one) => `  ${describe(one)}`));
  }
  lines.push(
    breaches.length === 0
      ? 'No limit was broken.'
      : `Broken limits, each three times on new processes:`,
    ...breaches.map((breach) => `  ${describeBreach(breach)}`),
    `To repeat one: npm run attack -- --replay ${file} --only <id>`,
  );
  return lines.join('\n');
}

export const describeBreach = (breach: Breach): string =>
  `${breach.of}: ${describe(breach)}`;

export function describeProgress({ tried, archive, breaches }: Found): string {
  const [block] = archive.worst('block', 1);
  const [memory] = archive.worst('memory', 1);
  return [
    `${tried} tried, ${archive.kinds} kinds, ${breaches.length} broken limits`,
    `at most ${block?.figures.blockMs.toFixed()} ms`,
    `${((memory?.figures.gained ?? 0) / MEGABYTE).toFixed()} MB`,
  ].join(', ');
}
