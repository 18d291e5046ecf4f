import type { IncomingHttpHeaders } from 'node:http';
import type { CallerId } from '../callers/caller-id.ts';
import { turnOfNew } from '../callers/thread.ts';
import { createExactParser, isKeptByDouble } from '../rest/exact-json.ts';
import { JsonWeight } from '../rest/json-weight.ts';
import { BodyError, BodyReader, type ReplacedBody } from './body.ts';
import type { HttpContext } from './context.ts';
import { OVERLOADED } from './error-responses.ts';
import type { Exchange } from './exchange.ts';
import { nameOf } from './forwarded.ts';
import { IncomingOperation } from './incoming-operation.ts';
import { MAX_BODY_ITEMS, MAX_BODY_LEVELS, SHORT_BODY_BYTES } from './limits.ts';
import { trust } from './read-turns.ts';

/** The charset that a content type names. Source: GraphQL over HTTP, "JSON", which is UTF-8. */
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });
/** Variables may hold attachments. A number that keeps its value stays a number, because they may also hold an `Int`. */
const exact = createExactParser({
  inside: 'variables',
  keepsText: (source) => !isKeptByDouble(source),
});

type ReadingContext = Pick<
  HttpContext,
  'incoming' | 'holdRequest' | 'callerOf' | 'forwardHeaders' | 'operationTime' | 'drain'
>;

/** What a client sent, read as JSON. */
export interface JsonBody {
  /** Undefined: the request has none, or its time was up before it was parsed. */
  readonly value: unknown;
  /** To be called when it is no longer needed, even before the answer. */
  readonly release: () => void;
}

export interface IncomingRequest extends JsonBody {
  readonly caller: CallerId;
  /** If its time was up before its turn, its body was not parsed. */
  readonly operation: IncomingOperation;
}

const nothing = () => {};

/**
 * Reads the body of a request, which must be JSON in UTF-8: other sites can send forms and plain text without a preflight
 * request, and malformed text would be decoded to, and stored as, a different text. Many bodies may arrive in one moment, so
 * each is parsed in a turn of its caller, right before its operation begins. Throws BodyError.
 */
export async function readJsonBody(
  exchange: Exchange,
  context: ReadingContext,
): Promise<IncomingRequest> {
  const { request, response, replacedBody } = exchange;
  const { method, headers, socket } = request;
  const name = nameOf(headers, context.forwardHeaders);
  if (name === undefined) throw new BodyError(400);
  const caller = context.callerOf(name, socket.remoteAddress);
  trust(socket, caller, response);
  const hasBody = method !== 'GET' && !hasNoBody(headers, replacedBody);
  if (hasBody && !isJson(headers['content-type'])) throw new BodyError(415);
  const body = hasBody ? new BodyReader(request, context.incoming, name) : null;
  let operation: IncomingOperation | null = null;
  try {
    if (body !== null) await body.readWhole(replacedBody);
    checkClient(exchange);
    operation = new IncomingOperation(context);
    response.on('close', operation.end);
    const turn = turnOfNew(caller, operation);
    if (turn !== undefined) {
      body?.hold();
      await turn;
      checkClient(exchange);
    }
    if (body === null || operation.aborted)
      return { value: undefined, release: nothing, caller, operation };
    const { value, release } = parseHeld(body.decode(), caller, context);
    if (release !== nothing) response.once('close', release);
    return { value, release, caller, operation };
  } catch (error) {
    operation?.answered();
    throw error;
  } finally {
    body?.end();
  }
}

/** Throws BodyError if the client has left. */
function checkClient({ response }: Exchange): void {
  if (response.closed) throw new BodyError(400);
}

/**
 * Parses what a client sent, and holds it if it is long, because its values take up to twenty times its bytes. Keys such as
 * `__proto__` are kept: variables are JSON, and no object inherits from them. Throws BodyError.
 */
export function parseHeld(
  bytes: Buffer,
  caller: CallerId,
  { holdRequest }: Pick<HttpContext, 'holdRequest'>,
): JsonBody {
  if (bytes.length <= SHORT_BODY_BYTES)
    return { value: parseExact(bytes), release: nothing };
  let giveBack = holdRequest(caller, memoryOfBody(bytes));
  if (giveBack === null) throw new BodyError(OVERLOADED);
  const release = () => {
    giveBack?.();
    giveBack = null;
  };
  try {
    return { value: parseExact(bytes), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** Throws BodyError if it is malformed, or has too many numbers that only text can hold. */
function parseExact(bytes: Buffer): unknown {
  try {
    return exact.parse(utf8.decode(bytes));
  } catch (error) {
    throw new BodyError(error instanceof RangeError ? 413 : 400);
  }
}

function isJson(type = ''): boolean {
  if (type === 'application/json') return true;
  const [name = ''] = type.split(';', 1);
  const [, charset = 'utf-8'] = CHARSET.exec(type) ?? [];
  return name.trim().toLowerCase() === 'application/json' && /^utf-?8$/i.test(charset);
}

function hasNoBody(headers: IncomingHttpHeaders, replaced: ReplacedBody | null): boolean {
  if (headers['content-type'] !== undefined) return false;
  if (replaced !== null) return replaced.length === 0;
  const { 'transfer-encoding': coding, 'content-length': length = 0 } = headers;
  return coding === undefined && Number(length) === 0;
}

/** About what JSON takes in memory when it is parsed. Throws BodyError if it has too many levels, or items and fields. Unit: bytes. */
function memoryOfBody(body: Buffer): number {
  const weight = new JsonWeight();
  weight.add(body);
  if (weight.deepest > MAX_BODY_LEVELS) throw new BodyError(400);
  if (weight.commas > MAX_BODY_ITEMS) throw new BodyError(413);
  return Math.max(body.length, weight.inMemory);
}
