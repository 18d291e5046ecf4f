import { MEGABYTE } from '../process.ts';
import { AIMS, lostShare, type Tried } from './archive.ts';
import { fieldOf } from './case.ts';
import type { Found } from './search.ts';

/** How many requests are printed for each aim. */
const SHOWN = 10;

const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(1);

/** `3f1c  123 ms busy (B waited 150 ms), gained 12.3 MB, 1234 bytes sent, 3 calls, answered 200, ...`. */
export function describe({ id, case: one, figures }: Tried): string {
  const { blockMs, gained, sent, copies, calls, others } = figures;
  const { status, code, answerBytes } = figures.seen;
  const share = ((1 - lostShare(others)) * 100).toFixed(1);
  const odd = others.different > 0 ? `, ${others.different} different` : '';
  return [
    `${id}  ${blockMs.toFixed()} ms busy (B waited ${others.longestMs.toFixed()} ms)`,
    `gained ${megabytes(gained)} MB`,
    `${copies > 1 ? `${copies} times ` : ''}${sent} bytes sent`,
    `${calls} calls`,
    `B: ${share} % of ${others.asked}${odd}`,
    `p99 ${others.p99Ms.toFixed()} ms (alone ${others.aloneP99Ms.toFixed()})`,
    figures.failure ?? `answered ${[status, code].filter(Boolean).join(' ')}`,
    `${answerBytes} bytes`,
    one.name || `${one.type} ${fieldOf(one)}`,
  ].join(', ');
}

/** The worst requests, and how to repeat them. */
export function summarise({ tried, archive, breaches }: Found, file: string): string {
  return [
    `${tried} requests tried, of ${archive.kinds()} kinds.`,
    ...AIMS.flatMap((aim) => [
      `The worst by ${aim}, one of each kind:`,
      ...archive.worst(aim, SHOWN).map((one) => `  ${describe(one)}`),
    ]),
    breaches.length === 0
      ? 'No limit was broken.'
      : 'Broken limits, each three times on new processes:',
    ...breaches.map((breach) => `  ${breach.of}: ${describe(breach)}`),
    `To repeat one: npm run attack -- --replay ${file} --only <id>`,
  ].join('\n');
}

export const describeProgress = ({ tried, archive, breaches }: Found): string =>
  `${tried} tried, ${archive.kinds()} kinds, ${breaches.length} broken limits`;
