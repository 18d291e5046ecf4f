import { type DocumentNode, print } from 'graphql';
import { IS_OVER } from '../callers/abort.ts';
import { turnOfNew } from '../callers/thread.ts';
import { BodyError } from '../http/body.ts';
import type { HttpContext } from '../http/context.ts';
import { toRequestId, toSecret } from '../http/credentials.ts';
import { OVERLOADED, toErrors } from '../http/error-responses.ts';
import { nameOf, pickForwarded } from '../http/forwarded.ts';
import { IncomingOperation } from '../http/incoming-operation.ts';
import { type JsonBody, parseHeld } from '../http/json-body.ts';
import { MAX_BODY_BYTES } from '../http/limits.ts';
import { toAccepts } from '../http/media-type.ts';
import { IS_CLOSED } from '../http/mount.ts';
import type { Execute, ExecuteRequest } from './execute.ts';

type ExecuteContext = Pick<
  HttpContext,
  'run' | 'drain' | 'holdRequest' | 'callerOf' | 'forwardHeaders' | 'operationTime'
>;

const JSON_HEADERS = { 'content-type': 'application/json' };
const ACCEPTS = toAccepts('application/graphql-response+json');

/** Passes operations through the same stages as a request over HTTP, with the same bounds. */
export const createInProcess = (context: ExecuteContext): Execute =>
  (async (given?: ExecuteRequest | null) => {
    // As HTTP answers a body that is no object.
    const request = given ?? {};
    request.signal?.throwIfAborted();
    if (context.drain.isDraining()) return toErrors(OVERLOADED, IS_CLOSED);
    try {
      return await run(request, toBytes(request), context);
    } catch (error) {
      if (!(error instanceof BodyError)) throw error;
      const { statusCode } = error;
      return toErrors(statusCode, statusCode === 400 ? NOT_JSON : undefined);
    }
  }) as Execute;

const NOT_JSON =
  'The request could not be read: variables and extensions must be JSON, and headers to forward must be texts that HTTP allows.';

/** As over HTTP, it is parsed in a turn of its caller: many may come in one moment. Throws BodyError. */
async function run(
  request: ExecuteRequest,
  bytes: Buffer,
  context: ExecuteContext,
): Promise<unknown> {
  const { signal, requestId } = request;
  const { run, callerOf, forwardHeaders } = context;
  const authorization = toHeader(request.token);
  const picked = pickForwarded(request.headers, forwardHeaders);
  if (picked === null) throw new BodyError(400);
  const caller = callerOf(nameOf({ ...picked, authorization }, forwardHeaders) ?? null);
  const lifetime = new IncomingOperation(context);
  const leave = () => lifetime.abort(IS_OVER);
  signal?.addEventListener('abort', leave, { once: true });
  let body: JsonBody | null = null;
  try {
    const turn = turnOfNew(caller, lifetime);
    if (turn !== undefined) {
      const release = context.holdRequest(caller, bytes.length);
      if (release === null) throw new BodyError(OVERLOADED);
      await turn.finally(release);
      signal?.throwIfAborted();
    }
    if (!lifetime.aborted) body = parseHeld(bytes, caller, context);
    const answer = await run({
      id: toRequestId({ headers: { 'x-request-id': requestId, authorization } }),
      caller,
      secret: caller.token || toSecret(authorization),
      headers: JSON_HEADERS,
      accepts: ACCEPTS,
      params: { method: 'POST', search: '', body: body?.value },
      lifetime,
    });
    signal?.throwIfAborted();
    return JSON.parse(answer.body);
  } finally {
    signal?.removeEventListener('abort', leave);
    lifetime.end();
    body?.release();
  }
}

/** A token has no space, so a text with the scheme before it is a whole header. */
function toHeader(token: unknown): string | undefined {
  if (typeof token !== 'string') return undefined;
  return /^bearer /i.test(token) ? token : `Bearer ${token}`;
}

/**
 * The request as a body that was sent: its values become JSON, so later changes of the caller's objects have no effect.
 * Throws BodyError.
 */
function toBytes(request: ExecuteRequest): Buffer {
  const { variables, operationName, extensions } = request;
  try {
    const query = toText(request.query);
    const text = JSON.stringify({ query, variables, operationName, extensions });
    const bytes = Buffer.from(text);
    if (bytes.length <= MAX_BODY_BYTES) return bytes;
  } catch (error) {
    throw new BodyError(error instanceof RangeError ? 413 : 400);
  }
  throw new BodyError(413);
}

/** To print a document takes as long as to parse it. */
const printed = new WeakMap<DocumentNode, string>();

function toText(query: ExecuteRequest['query']): unknown {
  if (typeof query !== 'object' || query === null || !('kind' in query)) return query;
  const text = printed.get(query) ?? print(query);
  printed.set(query, text);
  return text;
}
