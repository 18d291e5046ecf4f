import type { FastifyInstance } from 'fastify';

/** What there is to tell, and how to count more. */
export interface MetricsPage {
  readonly contentType: string;
  text(): Promise<string>;
  /** `route` as it was registered; it is none of the client's text. */
  countResponse(route: string, status: number): void;
}

/** Serves /metrics, and counts every answer. To be added before the routes. */
export function addMetrics(app: FastifyInstance, metrics: MetricsPage): void {
  // With `done`: an async hook would cost each answer more than what it does.
  app.addHook('onResponse', ({ routeOptions }, { statusCode }, done) => {
    metrics.countResponse(routeOptions.url ?? 'none', statusCode);
    done();
  });
  app.get('/metrics', async (_request, reply) => {
    // The figures are for the operator; no page in a browser is to read them.
    reply.removeHeader('access-control-allow-origin');
    return reply.type(metrics.contentType).send(await metrics.text());
  });
}
