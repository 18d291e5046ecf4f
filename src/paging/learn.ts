import type { Page } from '../rest/list.ts';
import { type KnownLimits, SAFE_LIMIT } from './known-limits.ts';
import type { Series } from './known-paging.ts';
import type { Segment } from './segment.ts';
import type { Answer, Reader } from './strategy.ts';
import { judge, toQuestion, toSample } from './trial.ts';

/** The head of a list, and the `limit` with which it was read. */
export interface Head<T> extends Segment<T> {
  readonly limit: number;
}

/**
 * Reads the head of a list for the trials: as many items as the pages that follow will ask for, so that a maximum of the
 * service is met here; null if there is no call for it.
 */
export async function readHead<T>(
  reader: Reader<T>,
  wanted: number,
  series: Series,
): Promise<Head<T> | null> {
  const limit = reader.limitFor(Math.max(wanted, SAFE_LIMIT));
  const answer = await reader.tryOut({ limit });
  if (answer !== null) series.noteCall();
  if (answer === 'refused' && limit > SAFE_LIMIT) {
    const again = await reader.tryOut({ limit: SAFE_LIMIT });
    if (again !== null) series.noteCall();
    if (!isPage(again)) return null;
    reader.endpoint.limits.refused(limit);
    return { ...again, start: 0, limit: SAFE_LIMIT };
  }
  return isPage(answer) ? { ...answer, start: 0, limit } : null;
}

/** Once a list can be continued, a page gains by asking for no more than the service returns at once. */
export function noteLength(
  limits: KnownLimits,
  { items, hasMore, limit }: Omit<Head<unknown>, 'start'>,
): void {
  const isCut = hasMore && items.length < limit;
  limits.answered(limit, { count: items.length, isCut });
}

const isPage = <T>(answer: Answer<T> | null): answer is Page<T> =>
  typeof answer === 'object' && answer !== null;

/** Makes trials until enough is known, or the operation leaves no call for them. */
export async function learn<T>(
  reader: Reader<T>,
  head: Page<T>,
  series: Series,
): Promise<void> {
  const sample = toSample(head.items);
  if (sample === null) return;
  for (let trial = series.next(); trial !== null; trial = series.next()) {
    const question = toQuestion(trial, sample);
    const answer = await reader.tryOut(question.window);
    if (answer === null) return;
    series.note(trial, judge(question, answer, sample));
    if (answer === 'trouble') return;
  }
  if (series.hasFound()) await guessMaximum(reader, series);
}

/**
 * After a refused `limit`, tries the usual maximums below it: otherwise all pages would be read in parts of ten. Without a
 * series, for a caller to which a style applies that another one has learned.
 */
export async function guessMaximum<T>(reader: Reader<T>, series?: Series): Promise<void> {
  const { limits } = reader.endpoint;
  while (series?.hasCall() ?? true) {
    const limit = limits.takeGuess();
    const answer = limit === null ? null : await reader.tryOut({ limit });
    if (limit === null || answer === null) return;
    series?.noteCall();
    if (answer === 'trouble') return;
    if (answer !== 'refused') return noteLength(limits, { ...answer, limit });
    limits.refused(limit);
  }
}
