import type { ProcessOptions } from '../gateway/settings.ts';
import type { Topic } from '../sharing/peers.ts';
import type { MetricsSnapshot } from '../telemetry/snapshot.ts';

/** The argument with which the primary process starts the launcher again. */
export const WORKER_COMMAND = 'worker';

/** A fact about the service, under its key. */
export interface Fact {
  readonly key: string;
  readonly fact: unknown;
}

/** Everything that a worker needs to start. `group` names this gateway's workers among the replicas that share a Redis. */
export interface StartMessage {
  readonly kind: 'start';
  readonly options: Omit<ProcessOptions, 'peers'>;
  readonly group: string;
}

/** From the primary process to a worker. */
export type ToWorker =
  | StartMessage
  | { readonly kind: 'stop' }
  /** Asks whether the worker still does anything. */
  | { readonly kind: 'ping' }
  | { readonly kind: 'snapshot' }
  | { readonly kind: 'totals'; readonly text: string }
  | Broadcast;

/** From a worker to the primary process. */
export type ToPrimary =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'failed'; readonly error: PlainError }
  | { readonly kind: 'pong' }
  /** A worker that ends sends its last counts unasked. */
  | { readonly kind: 'snapshot'; readonly metrics: MetricsSnapshot }
  | { readonly kind: 'totals' }
  | Broadcast;

/** What one worker says to all others; the primary process passes it on. */
interface Broadcast {
  readonly kind: 'broadcast';
  readonly topic: Topic;
  readonly message: unknown;
}

/** An error as data. The last two are those of a failed system call. */
export interface PlainError {
  readonly message: string;
  readonly code?: unknown;
  readonly syscall?: unknown;
}
