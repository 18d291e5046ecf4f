import type { FastifyInstance, FastifyRequest } from 'fastify';

/** The charset that a content type names. Source: GraphQL over HTTP, "JSON", which is UTF-8. */
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads bodies only as JSON in UTF-8: malformed text would be decoded to, and stored as, a different text. Keys such as
 * `__proto__` are kept, because variables are JSON and no object inherits from them.
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
