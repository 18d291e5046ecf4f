import type { FastifyInstance, FastifyRequest } from 'fastify';

/** What a body says of its own writing. Source: GraphQL over HTTP, "JSON", which is UTF-8. */
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads bodies as JSON in UTF-8 and nothing else: what is not well-formed would be stored as something else than it was
 * meant to be. Keys are kept as they are; variables are JSON, and no objects to inherit from.
 */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async ({ headers }: FastifyRequest, body: Buffer) => {
      const [, charset = 'utf-8'] = CHARSET.exec(headers['content-type'] ?? '') ?? [];
      if (!/^utf-?8$/i.test(charset)) throw new BodyError(415);
      try {
        return JSON.parse(utf8.decode(body));
      } catch {
        throw new BodyError(400);
      }
    },
  );
}

class BodyError extends Error {
  readonly statusCode: number;

  constructor(statusCode: number) {
    super();
    this.statusCode = statusCode;
  }
}
