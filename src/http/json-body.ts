import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { weighJson } from '../rest/bytes.ts';
import { createExactParser, isKeptByDouble } from '../rest/exact-json.ts';
import { turnOf } from '../rest/thread.ts';
import { toBearerToken } from './credentials.ts';

/** The charset that a content type names. Source: GraphQL over HTTP, "JSON", which is UTF-8. */
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });
/** Variables may hold attachments. A number that keeps its value stays a number, because they may also hold an `Int`. */
const exact = createExactParser({
  inside: 'variables',
  keepsText: (source) => !isKeptByDouble(source),
});

/**
 * Each takes time in several stages, and up to 500 bytes. Attachments of half a mebibyte always have fewer.
 * Unit: items and fields.
 */
const MAX_ITEMS = 270_000;

/**
 * A longer body waits for a turn, because many may arrive in one moment, and is held while its request is answered, because
 * its values take up to twenty times its bytes. Unit: bytes.
 */
const SHORT_BYTES = 8192;

/** Counts a request as held, and returns the function to call when it is not any more; null if there is no room. */
export type HoldRequest = (token: string | null, bytes: number) => (() => void) | null;

/**
 * Reads bodies only as JSON in UTF-8: malformed text would be decoded to, and stored as, a different text. Keys such as
 * `__proto__` are kept, because variables are JSON and no object inherits from them.
 */
export function readJsonBodies(app: FastifyInstance, hold: HoldRequest): void {
  /** The answers to requests whose bodies are being read. */
  const responses = new WeakMap<FastifyRequest, ServerResponse>();
  app.addHook('preParsing', (request, { raw }, _payload, done) => {
    responses.set(request, raw);
    done();
  });

  async function readInTurn(request: FastifyRequest, body: Buffer, done: Done) {
    const token = toBearerToken(request.headers.authorization);
    const turn = turnOf(token ?? '');
    if (turn !== undefined) await turn;
    if (body.length > 2 * MAX_ITEMS && countItems(body) > MAX_ITEMS) {
      done(new BodyError(413));
      return;
    }
    const letGo = hold(token, weighJson(body));
    if (letGo === null) {
      done(new BodyError(429));
      return;
    }
    const response = responses.get(request);
    if (response === undefined || response.closed) letGo();
    else response.once('close', letGo);
    read(body, done);
  }

  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    // With `done`, because a promise for each body would cost more than most bodies.
    (request: FastifyRequest, body: Buffer, done: Done) => {
      const type = request.headers['content-type'] ?? '';
      const [, charset = 'utf-8'] = CHARSET.exec(type) ?? [];
      if (!/^utf-?8$/i.test(charset)) return done(new BodyError(415));
      if (body.length > SHORT_BYTES) void readInTurn(request, body, done);
      else read(body, done);
    },
  );
}

function read(body: Buffer, done: Done): void {
  let json: unknown;
  try {
    json = exact.parse(utf8.decode(body));
  } catch (error) {
    // A RangeError: too many numbers that only text can hold.
    done(new BodyError(error instanceof RangeError ? 413 : 400));
    return;
  }
  done(null, json);
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
