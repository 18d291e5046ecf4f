import { test } from 'vitest';
import { comparePairs, PAIRS_TIMEOUT_MS } from './pairs/compare.ts';
import { worseForA } from './pairs/session.ts';

// In a file of its own, so that it runs beside the other half of the pairs.
test(
  'nothing of A changes bytes, calls or writes of B, if the service limits, delays, refuses or fails the calls of A alone',
  () => comparePairs(worseForA),
  PAIRS_TIMEOUT_MS,
);
