import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '../rest/list.ts';
import { askOnce, byLimit, isShort, lengthen } from './by-limit.ts';
import { OutOfCallsError, PageOutOfReachError } from './errors.ts';
import type { TrialRun } from './known-paging.ts';
import { type Head, learn, readHead } from './learn.ts';
import { nullIfUnknownId } from './next.ts';
import type { Reader } from './reader.ts';
import type { PageSlice, Segment } from './segment.ts';
import type { LearnedStyle } from './shared-paging.ts';
import { readFromHead, UNREAD } from './slice.ts';
import type { CursorPage, PagingStrategy } from './strategy.ts';

/** A page that ends within this many items is read from the head, as `limit` does; the trials use that answer. Unit: items. */
const NEAR = 200;
/** How long a page waits for what another one is learning, where it cannot be read otherwise. Unit: milliseconds. */
const LONGEST_WAIT_MS = 1000;

/**
 * Learns how the service pages, from the items that come back, and reads as `limit` until then. What is learned is only
 * the style: every page still shows by known items that the service has continued where it was asked to. If it has not,
 * the page is read from the head of the list, and the style is tried again. Open point: pagination parameter.
 */
export function byLearning(
  toStrategy: (style: LearnedStyle) => PagingStrategy,
): PagingStrategy {
  const made = new WeakMap<LearnedStyle, PagingStrategy>();

  function learned({ endpoint }: Reader<unknown>): PagingStrategy | null {
    const style = endpoint.paging.learned();
    if (style === null) return null;
    const strategy = made.get(style) ?? { ...toStrategy(style), triesMaximums: true };
    made.set(style, strategy);
    return strategy;
  }

  return {
    name: 'auto',
    isOneCall: true,
    overlap: 0,

    extend(reader, segment, wanted) {
      const style = learned(reader);
      return style === null
        ? extendFromHead(reader, segment, wanted)
        : extendBy(style, reader, segment, wanted);
    },

    readAtCursor,
  };

  async function extendBy<T>(
    style: PagingStrategy,
    reader: Reader<T>,
    segment: Segment<T>,
    wanted: number,
  ): Promise<Segment<T>> {
    reader.style = style;
    try {
      return await style.extend(reader, segment, wanted);
    } catch (error) {
      if (!doubt(reader) || !(error instanceof OutOfCallsError))
        nullIfFailed(error, segment.items.length > 0);
    }
    return extendFromHead(reader, segment, wanted);
  }

  function extendFromHead<T>(
    reader: Reader<T>,
    segment: Segment<T>,
    wanted: number,
  ): Promise<Segment<T>> {
    reader.style = byLimit;
    return askOnce(reader, segment, wanted).then((read) =>
      isShort(read, wanted) ? extendByTrial(reader, read, wanted) : read,
    );
  }

  /** One call returns no more items: only a parameter leads further. */
  async function extendByTrial<T>(
    reader: Reader<T>,
    read: Segment<T>,
    wanted: number,
  ): Promise<Segment<T>> {
    const found = await learnFrom(reader, read);
    const { limits, paging } = reader.endpoint;
    if (found === null) {
      const longer = await lengthen(reader, read, wanted).catch((error) => {
        if (error instanceof OutOfCallsError) return read;
        throw error;
      });
      if (!isShort(longer, wanted)) return longer;
      throw outOfReach(longer.items.length, wanted, paging.isNone());
    }
    // If a `limit` was refused, the answer is one to a lower `limit`.
    if (limits.longest() === null) limits.answered(wanted, read);
    reader.style = found;
    try {
      return await found.extend(reader, read, wanted);
    } catch (error) {
      if (!doubt(reader)) throw error;
    }
    return extendByTrial(reader, read, wanted);
  }

  /** Null: the list is read from its head. */
  async function readAtCursor<T>(
    reader: Reader<T>,
    wanted: CursorPage,
  ): Promise<PageSlice<T> | null> {
    const { paging } = reader.endpoint;
    const style = learned(reader);
    if (style !== null) {
      const found = await readBy(style, reader, wanted);
      if (found !== null) return found;
      doubt(reader);
    }
    const run = paging.begin();
    if (run === null) return null;
    let read: Head<T> | null = null;
    try {
      const { head, page } = await readSample(reader, wanted, run);
      if (head !== null) await learn(reader, head, run);
      if (page !== null) return page;
      read = head;
    } finally {
      run.end();
    }
    const now = learned(reader);
    if (now === null) return null;
    if (read !== null) reader.endpoint.limits.answered(read.limit, read);
    return readBy(now, reader, wanted);
  }

  /** Reads the head of the list for the trials; if the page is near, it is read with it, as `limit` does. */
  async function readSample<T>(
    reader: Reader<T>,
    page: CursorPage,
    run: TrialRun,
  ): Promise<{ head: Head<T> | null; page: PageSlice<T> | null }> {
    const { cursor, size, isForward } = page;
    const reach = cursor.position + 1 + (isForward ? size : 0);
    if (reach > NEAR || !reader.endpoint.limits.accepts(reach)) {
      return { head: await readHead(reader, size + 1, run), page: null };
    }
    reader.style = byLimit;
    const segment = await askOnce(reader, UNREAD, reach);
    const head = { ...segment, limit: reach };
    if (isShort(head, reach)) return { head, page: null };
    const options = { ...page, strategy: byLimit, reader, head };
    return { head, page: await readFromHead(options) };
  }

  /** Learns from the head of a list that the service has cut short; null if no style is known then. */
  async function learnFrom<T>(
    reader: Reader<T>,
    head: Page<T>,
  ): Promise<PagingStrategy | null> {
    const { paging } = reader.endpoint;
    const othersEnd = () =>
      Promise.race([paging.settled(), sleep(LONGEST_WAIT_MS, undefined, { ref: false })]);
    await othersEnd();
    let run = paging.begin(true);
    if (run === null) {
      // Several pages came to this at once, such as those that share one answer: only the first of them learns.
      await othersEnd();
      run = paging.begin(true);
    }
    try {
      if (run !== null) await learn(reader, head, run);
    } finally {
      run?.end();
    }
    return learned(reader);
  }
}

/** Reads the page at a cursor by a learned style; null if the service does not continue there. */
async function readBy<T>(
  style: PagingStrategy,
  reader: Reader<T>,
  page: CursorPage,
): Promise<PageSlice<T> | null> {
  reader.style = style;
  try {
    return (await style.readAtCursor?.(reader, page)) ?? null;
  } catch (error) {
    // Without calls left, the next page reads as `limit` does, which needs only one.
    return error instanceof OutOfCallsError && doubt(reader)
      ? null
      : nullIfFailed(error, true);
  }
}

/**
 * A learned style failed at a page. If another caller had learned it, its calls do not count: alone, this caller would not have
 * made them. Returns whether another had.
 */
function doubt(reader: Reader<unknown>): boolean {
  const isOfOthers = reader.endpoint.paging.doubt();
  if (isOfOthers) reader.restart();
  return isOfOthers;
}

/** Null if the service does not page this way, or no longer does; throws every other error. */
function nullIfFailed(error: unknown, isParameterSent: boolean): null {
  if (error instanceof OutOfCallsError) throw error;
  if (error instanceof PageOutOfReachError) return null;
  if (isParameterSent) return nullIfUnknownId(error);
  throw error;
}

/** `isNone`: every style was tried, and none works. */
const outOfReach = (length: number, wanted: number, isNone: boolean) =>
  new PageOutOfReachError(
    `This page is out of reach: the service returned only ${length} of the ${wanted} items requested, and ${isNone ? NO_STYLE : NOT_KNOWN}`,
  );

const NO_STYLE =
  'no usual parameter continues the list. If it has another one, set PAGING and PAGING_PARAM.';
/** There was no call to try one, the answers were unclear, or the list is too short or repeats ids. */
const NOT_KNOWN =
  'it is not known yet which parameter continues the list. Ask again; if that does not help, raise MAX_CALLS_PER_LIST or MAX_REST_CALLS, or set PAGING.';
