import type { FastifyInstance } from 'fastify';
import type { SlowClient } from './sendings.ts';

/** The metrics that /metrics shows, and the counters of answers and of slow clients. */
export interface MetricsPage {
  readonly contentType: string;
  text(): Promise<string>;
  /** `route` is the registered one, and not the client's text. */
  countResponse(route: string, status: number): void;
  countSlowClient(reason: SlowClient['reason']): void;
}

/** Serves /metrics, and counts every answer. Call it before the routes are added. */
export function addMetrics(app: FastifyInstance, metrics: MetricsPage): void {
  // Calls `done`, because an async hook would cost more than the counting.
  app.addHook('onResponse', ({ routeOptions }, { statusCode }, done) => {
    metrics.countResponse(routeOptions.url ?? 'none', statusCode);
    done();
  });
  app.get('/metrics', async (_request, reply) => {
    // The metrics are for the operator; pages in a browser may not read them.
    reply.removeHeader('access-control-allow-origin');
    return reply.type(metrics.contentType).send(await metrics.text());
  });
}
