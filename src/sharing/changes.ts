import type { Carrier } from '../live/notice.ts';
import { isObject } from '../rest/decode.ts';
import { parseJson } from '../rest/json.ts';
import type { Peers } from './peers.ts';
import type { RedisLink } from './redis.ts';

/** Replicas of all machines publish and hear changes here. */
const CHANNEL = 'messaging-graphql:changes';

/** Carries notices of changes to the other processes of this machine and, over Redis, to all other machines. */
export function createCarriers(peers: Peers, redis: RedisLink | null): Carrier[] {
  const carriers = redis === null ? [] : [overRedis(redis, peers.group)];
  // Only a process among others has totals.
  return peers.totals === null ? carriers : [toPeers(peers), ...carriers];
}

const toPeers = (peers: Peers): Carrier => ({
  send: (notice) => peers.send('change', notice),
  listen: (listener) => peers.listen('change', listener),
});

/** The processes of a machine hear one another without Redis, so each ignores what its own group has published. */
const overRedis = (redis: RedisLink, group: string): Carrier => ({
  send: (notice) => redis.publish(CHANNEL, JSON.stringify({ group, notice })),
  listen(listener) {
    redis.subscribe(CHANNEL, (text) => {
      const message = parseJson(text);
      if (isObject(message) && message.group !== group) listener(message.notice);
    });
  },
});
