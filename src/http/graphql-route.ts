import {
  type HttpParams,
  isStream,
  type OperationRequest,
  type OperationResponse,
} from '../operation/request.ts';
import { isObject } from '../rest/decode.ts';
import type { HttpContext } from './context.ts';
import { toSecret } from './credentials.ts';
import { toRefusal } from './error-responses.ts';
import type { Answer, Exchange } from './exchange.ts';
import { type IncomingRequest, readJsonBody } from './json-body.ts';
import { type ClientAccepts, RESULTS_ONLY, toAccepts } from './media-type.ts';
import {
  type StreamFormat,
  sendResults,
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
    const { run, subscribe, streams } = context;
    if (!METHODS.includes(request.method ?? '')) {
      return toRefusal(405, { headers: [['allow', METHODS.join(', ')]] });
    }
    const read = await readJsonBody(exchange, context);
    const { release, operation: incoming } = read;
    const accepts = toAccepts(request.headers.accept);
    const operation = toOperation(exchange, read, accepts);
    const { stream: format } = accepts;
    try {
      if (format === null) return await run(operation);
      const answer = await subscribe(
        accepts.any ? operation : { ...operation, accepts: RESULTS_ONLY },
      );
      if (!isStream(answer)) return accepts.any ? answer : toOneResult(answer, format);
      // A stream may stay open for days, and does not need the body.
      release();
      return {
        status: 200,
        headers: toStreamHeaders(format),
        body: (writer) => sendResults(answer, format, writer, { response, streams }),
      };
    } finally {
      incoming.answered();
    }
  };

/** The one result as a stream, for a client that reads nothing else. In a browser, `EventSource` fails at any status but 200. */
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

function toOperation(
  { id, request }: Exchange,
  { value: body, caller, operation }: IncomingRequest,
  accepts: ClientAccepts,
): OperationRequest {
  const { method = '', url = '', headers } = request;
  return {
    id,
    caller,
    secret: caller.token || toSecret(headers.authorization),
    headers,
    accepts,
    params: toParams(method, url, body),
    lifetime: operation,
  };
}

/** Takes the GraphQL parameters from a request, in the form that Apollo expects. */
export function toParams(method: string, url: string, body: unknown): HttpParams {
  const queryStart = url.indexOf('?');
  return {
    method,
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
