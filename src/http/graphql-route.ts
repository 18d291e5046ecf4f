import {
  type HttpParams,
  isStream,
  type OperationRequest,
  type OperationResponse,
} from '../operation/request.ts';
import { Cancellation, IS_OVER } from '../rest/abort.ts';
import { isObject } from '../rest/decode.ts';
import type { Deadline } from '../rest/time-limit.ts';
import type { HttpContext } from './context.ts';
import { toBearerToken, toSecret } from './credentials.ts';
import { toRefusal } from './error-responses.ts';
import type { Answer, Exchange } from './exchange.ts';
import { readJsonBody } from './json-body.ts';
import { type ClientAccepts, RESULTS_ONLY, toAccepts } from './media-type.ts';
import {
  ResultBody,
  type StreamFormat,
  toSingleResult,
  toStreamHeaders,
} from './result-stream.ts';

const METHODS = ['GET', 'POST'];

/**
 * Runs the operation of each request. It does not use Apollo's own handler, which parses the `Host` header as a URL and
 * fails if it is not one.
 */
export const createGraphqlRoute =
  (context: HttpContext) =>
  async (exchange: Exchange): Promise<Answer> => {
    const { request, response } = exchange;
    const { run, subscribe, streams, drain } = context;
    if (!METHODS.includes(request.method ?? '')) {
      return toRefusal(405, { headers: [['allow', METHODS.join(', ')]] });
    }
    const { value: body, letGo } = await readJsonBody(exchange, context);
    const begun = drain.begin();
    const { operation, accepts, clock } = toOperation(exchange, body, context, begun);
    const { stream: format } = accepts;
    try {
      if (format === null) return await run(operation);
      const answer = await subscribe(
        accepts.any ? operation : { ...operation, accepts: RESULTS_ONLY },
      );
      if (!isStream(answer)) return accepts.any ? answer : toOneResult(answer, format);
      clock.stop();
      // It may be answered for days.
      letGo();
      if (operation.signal.aborted) answer.end('left');
      const results = new ResultBody(answer, format, { response, streams });
      return { status: 200, headers: toStreamHeaders(format), body: results };
    } finally {
      drain.answered(begun);
    }
  };

/** For a client that reads nothing but streams. A browser shows it no other status than 200. */
function toOneResult(answer: OperationResponse, format: StreamFormat): Answer {
  if (answer.status !== 200) return answer;
  const others = [...answer.headers].filter(([name]) => name !== 'content-type');
  return {
    status: 200,
    headers: [...others, ...toStreamHeaders(format)],
    body: toSingleResult(format, answer.body),
    isPlain: true,
  };
}

/** An operation that has come over HTTP. It is over when its response is sent, or its client has left. */
interface IncomingOperation {
  readonly operation: OperationRequest;
  readonly accepts: ClientAccepts;
  /** Its time. An open stream has none. */
  readonly clock: Deadline;
}

/**
 * Makes an operation of a request whose body was read, and starts its time. `body`: as JSON; undefined for a GET. `begun`:
 * the number under which it was noted.
 */
function toOperation(
  { id, request, response }: Exchange,
  body: unknown,
  { operationTime, drain }: Pick<HttpContext, 'operationTime' | 'drain'>,
  begun: number,
): IncomingOperation {
  const { method = '', url = '', headers, socket } = request;
  const signal = new Cancellation();
  const clock = operationTime(signal);
  response.on('close', () => {
    clock.stop();
    signal.abort(IS_OVER);
    drain.end(begun);
  });
  const token = toBearerToken(headers.authorization);
  const accepts = toAccepts(headers.accept);
  const operation: OperationRequest = {
    id,
    token,
    secret: token ?? toSecret(headers.authorization),
    address: socket.remoteAddress,
    headers,
    accepts,
    params: toParams(method, url, body),
    signal,
    deadline: clock.expires,
  };
  return { operation, accepts, clock };
}

/** Takes the GraphQL parameters from a request, in the form that Apollo expects. */
export function toParams(method: string, url: string, body: unknown): HttpParams {
  const queryStart = url.indexOf('?');
  return {
    method: method.toUpperCase(),
    search: queryStart === -1 ? '' : withoutEmpty(url.slice(queryStart)),
    body: nameDocument(body),
  };
}

/** Removes empty parameters: they count as not given. Source: GraphQL over HTTP, "GET". */
const withoutEmpty = (search: string): string =>
  search.replace(/(?<=[?&])(?:operationName|variables|extensions)=(?:&|$)/g, '');

/**
 * Rewrites a body that names its document as Relay does (`id`), or as drafts of GraphQL over HTTP do (`documentId`), into
 * the form by which Apollo looks documents up. Returns any other body unchanged.
 */
function nameDocument(body: unknown): unknown {
  // Null counts as not given. Source: GraphQL over HTTP, "Request Parameters".
  if (!isObject(body) || body.query != null) return body;
  // Not with the rest of its fields: to copy a hundred thousand takes a tenth of a second.
  const { documentId, id, operationName = null, variables = null, extensions } = body;
  const name = id ?? documentId;
  const given = extensions ?? {};
  if (typeof name !== 'string' || !isObject(given)) return body;
  const persistedQuery = { version: 1, sha256Hash: name.replace(/^sha256:/, '') };
  return { operationName, variables, extensions: { persistedQuery, ...given } };
}
