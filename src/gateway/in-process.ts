import type { FormattedExecutionResult } from 'graphql';
import type { HttpContext } from '../http/context.ts';
import { toBearerToken, toRequestId, toSecret } from '../http/credentials.ts';
import { toErrors } from '../http/error-responses.ts';
import { parseJson } from '../http/json-body.ts';
import { MAX_BODY_BYTES, SHORT_BODY_BYTES } from '../http/limits.ts';
import { toAccepts } from '../http/media-type.ts';
import { CLOSED } from '../http/mount.ts';
import { Cancellation, IS_OVER } from '../rest/abort.ts';
import { weighJson } from '../rest/json-weight.ts';
import { turnOfNew } from '../rest/thread.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** An operation, as a client would send it. */
export interface ExecuteRequest {
  /** The text of the document. May be left out where `extensions` names a persisted operation. */
  readonly query?: string | undefined;
  /** Values that JSON has, or that become JSON, such as a Date. */
  readonly variables?: JsonObject | null | undefined;
  /** Needed if the document has several operations. */
  readonly operationName?: string | null | undefined;
  /**
   * The caller's bearer token, or a whole `Authorization` header. Without it, every field that needs the service is
   * `UNAUTHENTICATED`.
   */
  readonly token?: string | null | undefined;
  /** Stops the operation and its calls; the promise is then rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly extensions?: JsonObject | null | undefined;
  /** For the log and the calls to the service, as `X-Request-Id` is over HTTP. Default: a new one. */
  readonly requestId?: string | undefined;
}

/** Executes a query or a mutation in this process. Only an aborted signal rejects the promise: errors are in the result. */
export type Execute = <Data = Record<string, unknown>>(
  request: ExecuteRequest,
) => Promise<FormattedExecutionResult<Data>>;

type ExecuteContext = Pick<
  HttpContext,
  'run' | 'drain' | 'holdRequest' | 'callerOf' | 'operationTime'
>;

const HEADERS = { 'content-type': 'application/json' };
const ACCEPTS = toAccepts('application/graphql-response+json');

/** Passes operations through the same stages as a request over HTTP, with the same bounds. */
export const createInProcess = (context: ExecuteContext): Execute =>
  (async (request) => {
    request.signal?.throwIfAborted();
    if (context.drain.isDraining()) return CLOSED;
    const { status, body, weight = 0 } = readBody(request);
    if (status !== 200) return refuse(status);
    const token = toBearerToken(toHeader(request.token));
    const letGo = weight === 0 ? nothing : context.holdRequest(token, weight);
    return letGo === null ? refuse(429) : run(request, body, context).finally(letGo);
  }) as Execute;

async function run(
  { token: given, signal, requestId }: ExecuteRequest,
  body: unknown,
  { run, drain, callerOf, operationTime }: ExecuteContext,
): Promise<unknown> {
  const header = toHeader(given);
  const token = toBearerToken(header);
  const end = new Cancellation();
  const clock = operationTime(end);
  const leave = () => end.abort(IS_OVER);
  signal?.addEventListener('abort', leave, { once: true });
  const operation = drain.begin();
  try {
    const turn = turnOfNew(callerOf(token));
    if (turn !== undefined) {
      await turn;
      signal?.throwIfAborted();
    }
    const answer = await run({
      id: toRequestId({ headers: { 'x-request-id': requestId, authorization: header } }),
      token,
      secret: token ?? toSecret(header),
      headers: HEADERS,
      accepts: ACCEPTS,
      params: { method: 'POST', search: '', body },
      signal: end,
      deadline: clock.expires,
    });
    signal?.throwIfAborted();
    return JSON.parse(answer.body);
  } finally {
    clock.stop();
    signal?.removeEventListener('abort', leave);
    leave();
    drain.end(operation);
  }
}

const nothing = () => {};

/** A token has no space, so a text with the scheme before it is a whole header. */
function toHeader(token: unknown): string | undefined {
  if (typeof token !== 'string') return undefined;
  return /^bearer /i.test(token) ? token : `Bearer ${token}`;
}

/** The request as a body that was sent. Its values become JSON, so later changes of the host's objects have no effect. */
function readBody({ query, variables, operationName, extensions }: ExecuteRequest): {
  readonly status: number;
  readonly body?: unknown;
  /** What a long one takes in memory, about. Unit: bytes. */
  readonly weight?: number;
} {
  try {
    const text = JSON.stringify({ query, variables, operationName, extensions });
    const bytes = Buffer.from(text);
    if (bytes.length > MAX_BODY_BYTES) return { status: 413 };
    const weight = bytes.length > SHORT_BODY_BYTES ? weighJson(bytes) : 0;
    return { status: 200, body: parseJson(bytes), weight };
  } catch (error) {
    return { status: error instanceof RangeError ? 413 : 400 };
  }
}

const refuse = (status: number) =>
  toErrors(status, status === 400 ? NOT_JSON : undefined);

const NOT_JSON = 'The request could not be read: variables and extensions must be JSON.';
