import type { Counting } from '../paging/trial.ts';
import type { TimestampUnit } from '../rest/timestamp.ts';
import type { OPEN_POINTS, OpenPoint } from './open-points.ts';

/** What a probe found out about a service. */
export interface ProbeReport {
  readonly url: string;
  readonly points: readonly PointReport[];
  readonly fields: FieldsFinding;
  /** Settings of the gateway, by name; only those the probe has evidence for. */
  readonly settings: Readonly<Record<string, string>>;
  /** Calls sent. */
  readonly calls: number;
  /** Why the probe ended early; null if it did not. */
  readonly stopped: string | null;
}

/** The finding about one open point. */
export type PointReport = {
  [N in OpenPoint]: {
    readonly number: N;
    readonly title: (typeof OPEN_POINTS)[N]['title'];
  } & Found<N extends keyof FindingTypes ? FindingTypes[N] : never>;
}[OpenPoint];

/** The findings about the open points that reads can settle. */
export type Findings = { readonly [N in keyof FindingTypes]: Found<FindingTypes[N]> };

export interface Found<T> {
  /** Null: unknown. */
  readonly finding: T | null;
  /** The finding, for a person. */
  readonly words: string;
  readonly confidence: Confidence;
  /** One sentence; never contains a token or the text of a message. */
  readonly evidence: string;
}

/** `guess`: one weak sign. `likely`: few other explanations. `certain`: seen twice, in different ways. */
export type Confidence = 'certain' | 'likely' | 'guess' | 'unknown';

export const unknown = (evidence: string): Found<never> => ({
  finding: null,
  words: 'unknown',
  confidence: 'unknown',
  evidence,
});

/** By the number of the open point. A point that is not here cannot be settled by reads. */
interface FindingTypes {
  /** Key paths and JSON types of the attachments seen, `size.width: number`. */
  2: readonly string[];
  4: TimestampUnit;
  /** Success statuses of reads. */
  6: readonly number[];
  8: PagingFinding;
  9: OrderFinding;
  15: RefusalFinding;
  16: MaxLimitFinding;
  17: RateFinding;
}

export interface PagingFinding {
  /** `limit`: no parameter was found, so the gateway can only request longer first pages. */
  readonly style: 'limit' | 'starting_after' | Counting;
  readonly param: string | null;
  readonly backParam: string | null;
  readonly unknownCursor: UnknownCursor | null;
}

/** The page that an unknown id in the paging parameter gets, or the status of the refusal. */
export type UnknownCursor = number | 'empty' | 'first' | 'elsewhere';

/** How each list is sorted; null if the probe saw no order. */
export interface OrderFinding {
  readonly messages: Order | null;
  readonly conversations: Order | null;
  /** The field that conversations are sorted by. */
  readonly conversationsBy: string | null;
}

export type Order = 'newest' | 'oldest' | 'id' | 'id descending';

/** A status is null if there was no response. */
export interface RefusalFinding {
  /** `mixed`: the refusals differ. */
  readonly format: ErrorFormat | 'mixed';
  /** Key paths of a JSON error with their types, `error.code: string`. */
  readonly shape: readonly string[];
  readonly unknownMessage: number | null;
  readonly unknownConversation: number | null;
  readonly badToken: number | null;
}

export type ErrorFormat = 'json' | 'problem' | 'text' | 'html' | 'empty';

/** Unit: items. */
export interface MaxLimitFinding {
  /** Null: none was seen. */
  readonly max: number | null;
  /** The length of the longest page seen, at most `max`. */
  readonly atLeast: number;
  /** What a larger `limit` gets: a page of `max` items, or a refusal with this status. */
  readonly above: 'capped' | number | null;
}

export interface RateFinding {
  /** Names of the headers about rate limits. */
  readonly headers: readonly string[];
  /** Calls answered with 429. */
  readonly met: number;
  /** How a 429 says when to retry; null if there was none. */
  readonly retryAfter: RetryAfter | null;
}

export type RetryAfter = 'seconds' | 'date' | 'none';

/** How the service's objects differ from the interface; each line reads `message.thread_id: string`. */
export interface FieldsFinding {
  /** Sent, but not in the interface. */
  readonly unknown: readonly string[];
  /** In the interface, but not sent; these lines have no type. */
  readonly missing: readonly string[];
  readonly otherType: readonly string[];
}
