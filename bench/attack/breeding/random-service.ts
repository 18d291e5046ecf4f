import type { Random } from '../../../src/embedded/sample/random.ts';
import type { Service, Value } from '../genome/genome.ts';
import { PLAIN_SERVICE } from '../genome/plain.ts';
import { list, raw, text } from '../genome/value.ts';
import { PARTS, randomCount, randomValue } from './random-value.ts';

/** Fields of the service's objects that may have another value than the interface says; mostly none. */
export const ODD_FIELDS = [
  '',
  '',
  '',
  'id',
  'data',
  'message',
  'reactions',
  'attachments',
  'contact',
  'created_at',
  'read_at',
  'conversation_id',
  'pinned_message_id',
  'contact_id',
  'is_muted',
] as const;

export function randomService(random: Random): Service {
  return {
    ...PLAIN_SERVICE,
    mode: random.chance(0.75)
      ? 'answers'
      : random.pick(['fails', 'breaks off', 'sends no JSON', 'hangs']),
    every: random.pick([1, 1, 1, 2, 10]),
    status: random.pick([400, 403, 404, 422, 429, 500, 503]),
    errorBody: randomValue(random),
    headers: random.chance(0.8) ? 'usual' : random.pick(['Retry-After', 'many']),
    items: random.chance(0.8) ? 0 : Math.min(5000, randomCount(random)),
    hasMore: random.chance(0.3),
    ids: random.pick(['asked', 'asked', 'one', 'distinct']),
    message: text(random.pick(PARTS), random.chance(0.5) ? 10 : randomCount(random)),
    attachments: random.chance(0.5)
      ? list(raw('{}'), 0)
      : list(randomValue(random), randomCount(random)),
    reactions: random.chance(0.7) ? list(raw('{}'), 0) : randomReactions(random),
    oddField: random.pick(ODD_FIELDS),
    odd: randomValue(random),
    drift: random.chance(0.8) ? 0 : Math.min(5000, randomCount(random)),
    delay: random.chance(0.9) ? 0 : random.below(200),
    pace: random.chance(0.85) ? 'whole' : random.pick(['in parts', 'byte by byte']),
  };
}

const randomReactions = (random: Random): Value =>
  list(
    {
      kind: 'object',
      of: list(text('u', 1, random.chance(0.8)), randomCount(random)),
      keys: Math.min(100_000, randomCount(random)),
      keyLength: 1,
    },
    random.chance(0.5) ? 1 : randomCount(random),
  );
