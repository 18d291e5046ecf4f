import type { UnknownCursor } from './beside.ts';
import type { CapFinding } from './cap.ts';
import type { FieldsFinding } from './fields.ts';
import type { Found } from './found.ts';
import type { OrderFinding } from './order.ts';
import type { RateFinding } from './rate.ts';
import type { RefusalFinding } from './refusals.ts';
import type { TimestampUnit } from './unit.ts';

/** Open point 8. `limit`: none of the names tried is the parameter; longer first pages are all that was found. */
export interface PagingFinding {
  readonly style: 'limit' | 'starting_after' | 'offset' | 'page' | 'page from zero';
  readonly param: string | null;
  readonly backParam: string | null;
  readonly unknownCursor: UnknownCursor | null;
}

/** What reading finds, by the number of the open point. Whatever is not here only writing, or asking, would show. */
interface FindingTypes {
  /** Key paths and JSON types of the attachments seen, `size.width: number`. */
  2: readonly string[];
  4: TimestampUnit;
  /** Success statuses of reads. */
  6: readonly number[];
  8: PagingFinding;
  9: OrderFinding;
  15: RefusalFinding;
  16: CapFinding;
  17: RateFinding;
}

/** Every finding there is. */
export type Findings = { readonly [N in keyof FindingTypes]: Found<FindingTypes[N]> };

/** One open point. */
export type PointReport = {
  [N in OpenPoint]: { readonly number: N; readonly title: string } & Found<
    N extends keyof FindingTypes ? FindingTypes[N] : never
  >;
}[OpenPoint];

export type OpenPoint = keyof typeof TITLES;

/** What a probe found out about a service. */
export interface ProbeReport {
  readonly url: string;
  readonly points: readonly PointReport[];
  /** What the service sends besides, or instead of, what the interface shows. */
  readonly fields: FieldsFinding;
  /** Settings of the gateway, by name; only those there is evidence for. */
  readonly settings: Readonly<Record<string, string>>;
  /** Calls made. */
  readonly calls: number;
  /** Why it ended early; null if it did not. */
  readonly stopped: string | null;
}

/** The open points by number, as the documents have them. */
export const TITLES = {
  1: 'reaction names',
  2: 'attachment fields',
  3: 'group resource',
  4: 'timestamp unit',
  5: 'transitions',
  6: 'success status',
  7: 'body of a delete',
  8: 'next page',
  9: 'order of lists',
  10: 'reactions in an update',
  11: 'JSON bodies',
  12: 'both ids at once',
  13: 'tokens',
  14: 'events',
  15: 'errors',
  16: 'greatest limit',
  17: 'rate limits',
  18: 'message limits',
  19: 'version policy',
} as const;
