import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject } from '../rest/decode.ts';
import { parseJson } from '../rest/json.ts';
import type { RedisLink } from './redis.ts';

const PREFIX = 'messaging-graphql:sent:';
/** For how long a key is known. Unit: seconds. */
const KEPT_SECONDS = 600;
/** How often to look whether another replica has ended its turn. Unit: milliseconds. */
const LOOK_MS = 100;

/**
 * Under which keys callers have sent something, for all replicas. Redis holds ids and keys; names of callers and what was sent only go into hashes,
 * and the name is the key of each. `turnSeconds`: longer than any send takes; then the turn of a replica that has died is over.
 */
export function createSharedSends(redis: RedisLink, turnSeconds: number) {
  /** What is known of a key; null: nothing. */
  async function read(name: string, content: string) {
    const record = parseJson((await redis.get(name)) ?? '');
    if (!isObject(record)) return null;
    const left = (await redis.left(name)) ?? 0;
    const sentId = typeof record.sentId === 'string' ? record.sentId : null;
    const agoMs = Math.max(0, KEPT_SECONDS * 1000 - left);
    return { isSame: record.content === content, sentId, agoMs };
  }

  return {
    /** Waits until no other replica sends under this key, or it is known what became of it; null if Redis is away. */
    async takeTurn(
      caller: string,
      { key, content: plain }: { readonly key: string; readonly content: string },
      signal: { readonly aborted: boolean },
    ) {
      const name = toName(caller, `key ${key}`);
      const turn = `${name}:turn`;
      const own = randomUUID();
      const content = toHash(caller, plain);
      for (;;) {
        const isOwn = await redis.setNew(turn, own, turnSeconds);
        if (isOwn === null) return null;
        const isFirst = isOwn
          ? await redis.setNew(name, JSON.stringify({ content }), KEPT_SECONDS)
          : null;
        // Not known although it is there: Redis may refuse to say what it has.
        const known = isFirst ? null : await read(name, content);
        const before = known ?? (isFirst === false ? NOT_KNOWN : null);
        const isDecided = before !== null && (before.sentId !== null || !before.isSame);
        if (!isOwn && !isDecided && !signal.aborted) {
          await sleep(LOOK_MS);
          continue;
        }
        return {
          isOwn,
          before,
          /** Ends the turn; `sentId`: null if nothing was sent, undefined if that is not known. */
          async end(sentId: string | null | undefined): Promise<void> {
            if (!isOwn) return;
            if (sentId != null) {
              redis.set(name, JSON.stringify({ content, sentId }), KEPT_SECONDS);
              redis.set(toName(caller, `id ${sentId}`), key, KEPT_SECONDS);
            }
            // After `turnSeconds`, it may be that of another replica.
            if ((await redis.get(turn)) !== own) return;
            if (sentId === null) redis.delete(name);
            redis.delete(turn);
          },
        };
      }
    },
    /** The key under which the caller has sent the object with this id; null if it is not known. */
    keyOf: (caller: string, id: string) => redis.get(toName(caller, `id ${id}`)),
  };
}

/** Something was sent under a key, and no more is known of it. */
const NOT_KNOWN = { isSame: true, sentId: null, agoMs: KEPT_SECONDS * 1000 };

const toHash = (caller: string, text: string): string =>
  createHmac('sha256', caller).update(text).digest('base64url');

const toName = (caller: string, text: string): string => PREFIX + toHash(caller, text);
