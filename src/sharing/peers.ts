import { randomUUID } from 'node:crypto';
import { type Facts, NO_FACTS } from '../paging/known-endpoints.ts';
import type { Totals } from '../telemetry/snapshot.ts';

/** What a message between processes is about: the ids that a write touched, a persisted operation, a fact about the service. */
export type Topic = 'change' | 'operation' | 'fact';

/** The other processes of this gateway on this machine. */
export interface Peers {
  /** Names this process and its peers among those of other machines. */
  readonly group: string;
  /** Sends a message, which JSON can hold, to all other processes. It may be lost. */
  send(topic: Topic, message: unknown): void;
  listen(topic: Topic, listener: (message: unknown) => void): void;
  /** What the service has shown; processes that start later hear it too. */
  readonly facts: Facts;
  /** The metrics of all processes together; null: those of this one are all. */
  readonly totals: Totals | null;
}

/** For a gateway that is one process. */
export const noPeers = (): Peers => ({
  group: randomUUID(),
  send() {},
  listen() {},
  facts: NO_FACTS,
  totals: null,
});
