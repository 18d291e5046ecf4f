import type { CollectedMetric } from './collected.ts';

/** Whether Redis can be used: 1 or 0 for this process. There is no such metric without REDIS_URL. */
export const redisMetrics = (redis: { isReady(): boolean } | null): CollectedMetric[] =>
  redis === null
    ? []
    : [
        {
          type: 'gauge',
          name: 'gateway_redis_connected',
          help: 'Processes that are connected to Redis.',
          labelNames: [],
          read: () => [{ labels: {}, value: redis.isReady() ? 1 : 0 }],
        },
      ];
