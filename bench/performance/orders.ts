/** The messages to the load generator (`Order`), and its answers. */

/** What servers and browsers keep open to a busy gateway. */
export const CONNECTIONS = 32;
/** Asks once on each connection, and opens it before. */
export const ONCE = { kind: 'burst', operations: CONNECTIONS } as const;

export interface RequestTemplate {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** What is done to a target. */
export type Load =
  /** Each connection asks again when it has its answer. */
  | { readonly kind: 'closed'; readonly maxOperations: number; readonly maxMs: number }
  /** Asks at a fixed rate, whether or not answers have come. */
  | { readonly kind: 'open'; readonly perSecond: number; readonly maxMs: number }
  /** Asks all at once, each on a connection of its own. */
  | { readonly kind: 'burst'; readonly operations: number }
  /** Asks page after page, each with the cursor of the page before. */
  | { readonly kind: 'walk' };

export interface Order {
  readonly host: string;
  readonly port: number;
  readonly request: RequestTemplate;
  readonly load: Load;
}

/** Where the body of a walk has the cursor. */
export const CURSOR = '"<cursor>"';

export interface Result {
  readonly operations: number;
  readonly tookMs: number;
  /** The first answer to this request. */
  readonly answer: string;
  /** Of `open` and `burst`: of each operation that was answered well, ascending. Unit: milliseconds. */
  readonly latencies: readonly number[];
  /** Of `burst`: how many operations the target refused because it had too many. */
  readonly refused: number;
  /** Of `walk`: how many items the list had. */
  readonly items: number;
}

export interface Failure {
  readonly error: string;
}
