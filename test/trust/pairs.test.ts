import { test } from 'vitest';
import { comparePairs, PAIRS_TIMEOUT_MS } from './pairs/compare.ts';
import { sameForAll } from './pairs/session.ts';

test(
  'nothing of A changes bytes, calls or writes of B, if the service serves all callers alike',
  () => comparePairs(sameForAll),
  PAIRS_TIMEOUT_MS,
);
