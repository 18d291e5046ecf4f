import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createExactParser, isKeptByDouble } from '../rest/exact-json.ts';
import { MAX_BODY_ITEMS } from './limits.ts';

/** The charset that a content type names. Source: GraphQL over HTTP, "JSON", which is UTF-8. */
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });
/** Variables may hold attachments. A number that keeps its value stays a number, because they may also hold an `Int`. */
const parseBody = createExactParser({
  inside: 'variables',
  keepsText: (source) => !isKeptByDouble(source),
});

/**
 * Reads bodies only as JSON in UTF-8: malformed text would be decoded to, and stored as, a different text. Keys such as
 * `__proto__` are kept, because variables are JSON and no object inherits from them.
 */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    // With `done`, because a promise for each body would cost more than most bodies.
    ({ headers }: FastifyRequest, body: Buffer, done: Done) => {
      const [, charset = 'utf-8'] = CHARSET.exec(headers['content-type'] ?? '') ?? [];
      if (!/^utf-?8$/i.test(charset)) return done(new BodyError(415));
      let json: unknown;
      try {
        json = parseJson(body);
      } catch (error) {
        return done(new BodyError(error instanceof RangeError ? 413 : 400));
      }
      done(null, json);
    },
  );
}

/** Parses what a client sent as JSON. Throws RangeError if it has too many items, or too many numbers that only text can hold. */
export function parseJson(body: Buffer): unknown {
  if (body.length > 2 * MAX_BODY_ITEMS && countItems(body) > MAX_BODY_ITEMS)
    throw new RangeError(`more than ${MAX_BODY_ITEMS} items`);
  return parseBody(utf8.decode(body));
}

type Done = (error: Error | null, body?: unknown) => void;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** About how many items and fields a JSON text has: the commas outside its strings. */
function countItems(body: Buffer): number {
  let count = 0;
  let isInString = false;
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index];
    if (byte === QUOTE) isInString = !isInString;
    else if (byte === BACKSLASH) index += 1;
    else if (byte === COMMA && !isInString) count += 1;
  }
  return count;
}

class BodyError extends Error {
  readonly statusCode: number;

  constructor(statusCode: number) {
    super();
    this.statusCode = statusCode;
  }
}
