import { hash as hashOf } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isObject } from '../rest/decode.ts';
import type { Peers } from './peers.ts';
import type { RedisLink } from './redis.ts';

const REDIS_PREFIX = 'messaging-graphql:operation:';
const SHA256 = /^[0-9a-f]{64}$/;

/** In the memory of this process. As much as Apollo Server keeps by itself. Unit: characters. */
const MAX_CHARACTERS = 15_728_640;
/** What an entry takes beside its text. Unit: characters. */
const CHARACTERS_PER_ENTRY = 256;

/** Longer texts stay in the process that they were registered at. Unit: characters. */
const MAX_SHARED_LENGTH = 65_536;
/**
 * Anybody can register operations, so each process shares only so much, and the others keep it as long as they have room. A
 * client whose operation was not shared sends its text again. Unit: characters.
 */
const SHARED = { burst: 4_194_304, perSecond: 16_384 };
/** How long Redis keeps an operation that nobody asks for. Unit: seconds. */
const KEPT_SECONDS = 86_400;

/**
 * The texts of persisted operations by their hash. They are kept in memory, and shared with the other processes and over Redis.
 * Nothing here fails.
 */
export function createOperationStore(
  peers: Pick<Peers, 'send' | 'listen'>,
  redis: RedisLink | null,
) {
  const memory = new LRUCache<string, string>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ length }) => length + CHARACTERS_PER_ENTRY,
  });
  const mayShare = createRateLimiter(SHARED);
  peers.listen('operation', (message) => {
    if (!isObject(message)) return;
    const { hash, text } = message;
    if (typeof hash === 'string' && typeof text === 'string') memory.set(hash, text);
  });

  /** What Redis holds was written by others: only the text that has the hash is taken. */
  async function getShared(hash: string): Promise<string | undefined> {
    if (redis === null || !SHA256.test(hash)) return undefined;
    const text = await redis.get(REDIS_PREFIX + hash, KEPT_SECONDS);
    if (text === null || hashOf('sha256', text) !== hash) return undefined;
    memory.set(hash, text);
    return text;
  }

  return {
    get: async (hash: string): Promise<string | undefined> =>
      memory.get(hash) ?? (await getShared(hash)),
    set(hash: string, text: string): void {
      const isKnown = memory.get(hash) !== undefined;
      memory.set(hash, text);
      if (isKnown || text.length > MAX_SHARED_LENGTH || !mayShare(text.length)) return;
      peers.send('operation', { hash, text });
      redis?.set(REDIS_PREFIX + hash, text, KEPT_SECONDS);
    },
  };
}

/**
 * Limits amounts to a rate: `burst` may be used at once, and what was used comes back at `perSecond`. The function says
 * whether an amount may be used now; if so, it counts as used.
 */
function createRateLimiter({ burst, perSecond }: typeof SHARED) {
  let left = burst;
  let at = performance.now();
  return (amount: number): boolean => {
    const now = performance.now();
    left = Math.min(burst, left + ((now - at) / 1000) * perSecond);
    at = now;
    if (amount > left) return false;
    left -= amount;
    return true;
  };
}
