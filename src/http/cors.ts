import fastifyCors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

/** From which pages browsers may send requests. */
export type CorsOrigins = '*' | readonly string[];

const EXPOSED = ['X-Request-Id', 'Retry-After'];

/** Answers preflight requests, and sets the headers of all others. */
export async function allowOrigins(
  app: FastifyInstance,
  origins: CorsOrigins,
): Promise<void> {
  await app.register(fastifyCors, {
    origin: origins === '*' ? '*' : [...origins],
    credentials: false,
    methods: ['GET', 'POST'],
    exposedHeaders: EXPOSED,
    maxAge: 86_400,
  });
}

/**
 * The headers that `allowOrigins` sets on the answer to a request that is no preflight: their names, each followed by its
 * value. `origin`: that header of the request.
 */
export function toCorsHeaders(
  origins: CorsOrigins,
): (origin: string | undefined) => readonly string[] {
  const exposed = ['access-control-expose-headers', EXPOSED.join(', ')];
  const forAll = ['access-control-allow-origin', '*', ...exposed];
  const forNone = ['vary', 'Origin', ...exposed];
  return (origin) => {
    if (origins === '*') return forAll;
    return origin !== undefined && origins.includes(origin)
      ? [...forNone, 'access-control-allow-origin', origin]
      : forNone;
  };
}
