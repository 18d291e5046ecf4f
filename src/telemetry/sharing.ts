import type { CollectedMetric } from './collected.ts';

/** Whether Redis can be reached: 1 or 0 for this process; no value without REDIS_URL. */
export const redisGauge = (redis: { isReady(): boolean } | null): CollectedMetric => ({
  type: 'gauge',
  name: 'gateway_redis_connected',
  help: 'Processes that are connected to Redis.',
  labelNames: [],
  read: () => (redis === null ? [] : [{ labels: {}, value: redis.isReady() ? 1 : 0 }]),
});
