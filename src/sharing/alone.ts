import { randomUUID } from 'node:crypto';
import { NO_FACTS } from '../rest/facts.ts';
import type { Peers } from './peers.ts';

/** For a gateway that is one process. */
export const alone = (): Peers => ({
  group: randomUUID(),
  send() {},
  listen() {},
  facts: NO_FACTS,
  totals: null,
});
