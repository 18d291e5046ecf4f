import type { Logger } from 'pino';
import type { LearnedEndpoint } from '../paging/known-endpoints.ts';

/** A service that cuts pages at random has a new maximum with every page: logs it at most this often. Unit: milliseconds. */
const PAUSE_MS = 60_000;

/** Logs what was learned of an endpoint, each time that it changes. */
export function createLearnedLog(log: Logger): (learned: LearnedEndpoint) => void {
  const last = new Map<string, LearnedEndpoint>();
  const limitAt = new Map<string, number>();
  return (learned) => {
    const { endpoint, paging, backward, maxLimit } = learned;
    const before = last.get(endpoint);
    const isStyle = paging !== before?.paging || backward !== before?.backward;
    const isLimit = maxLimit !== (before?.maxLimit ?? null);
    const isEarly = Date.now() - (limitAt.get(endpoint) ?? -PAUSE_MS) < PAUSE_MS;
    if (!isStyle && (!isLimit || isEarly)) return;
    if (isLimit) limitAt.set(endpoint, Date.now());
    last.set(endpoint, learned);
    log.info(learned, 'learned how the service answers');
  };
}
