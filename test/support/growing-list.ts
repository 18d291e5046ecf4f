import { startUpstream } from './upstream.ts';
import { wireMessage, wirePage } from './wire.ts';

interface GrowingList {
  /** How many messages a page has. */
  readonly size: number;
  /** The text of each; without it, one of a few characters. */
  readonly message?: string;
}

/** A service whose list of messages, newest first, has one more after each POST. */
export function startGrowingList({ size, message = 'm' }: GrowingList) {
  let count = size;
  return startUpstream(({ line }) => {
    if (line.startsWith('POST')) {
      count += 1;
      return { body: wireMessage(`m${count}`) };
    }
    const newest = Array.from({ length: size }, (_, index) => count - index);
    const list = newest.map((at) => wireMessage(`m${at}`, { message, created_at: at }));
    return { body: wirePage(list, true) };
  });
}
