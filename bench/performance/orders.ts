/** The messages to the load generator (`Order`), and its answers. */

export interface RequestTemplate {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** What is done to a target. Both end after `maxMs`. */
export type Load =
  /** Each connection asks again when it has its answer. `connections`: 32 by default; where they are given, latencies are measured. */
  | {
      readonly kind: 'closed';
      readonly maxOperations: number;
      readonly maxMs: number;
      readonly connections?: number;
    }
  /** Asks at a fixed rate, whether or not answers have come. */
  | { readonly kind: 'open'; readonly perSecond: number; readonly maxMs: number };

export interface Order {
  readonly port: number;
  /** Sent one after another, from the first again after the last. */
  readonly requests: readonly RequestTemplate[];
  /** The header of each request; empty: none. */
  readonly acceptEncoding: string;
  readonly load: Load;
}

export interface Result {
  readonly operations: number;
  /** Operations that the target refused because it had too many. */
  readonly refused: number;
  readonly tookMs: number;
  /** The first answer to each request. */
  readonly answers: readonly string[];
  /** Where they are measured: of each operation. Unit: milliseconds. */
  readonly latencies: readonly number[];
}

export interface Failure {
  readonly error: string;
}
