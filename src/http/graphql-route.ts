import { type ApolloServer, HeaderMap, type HTTPGraphQLRequest } from '@apollo/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { nameDocument } from '../document/trusted.ts';
import type { OperationContext } from '../operation/context.ts';

export interface GraphqlOptions {
  readonly apollo: ApolloServer<OperationContext>;
  /** `signal` is aborted when the answer is sent, the client has left, or the operation's time is up. */
  readonly createContext: (
    request: FastifyRequest,
    signal: AbortSignal,
  ) => OperationContext;
  /** Everything an operation does. Unit: milliseconds. */
  readonly operationTimeoutMs: number;
}

/**
 * Hands a request to Apollo and its answer back. Written here because the ready-made handler takes the `Host` header for
 * a URL, and fails before Apollo where it is none.
 */
export function graphqlHandler({
  apollo,
  createContext,
  operationTimeoutMs,
}: GraphqlOptions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(timeIsUp()), operationTimeoutMs);
    reply.raw.once('close', () => {
      clearTimeout(timer);
      end.abort(IS_OVER);
    });
    const { status, headers, body } = await apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest: toGraphqlRequest(request),
      context: async () => createContext(request, end.signal),
    });
    reply.code(status ?? 200);
    for (const [name, value] of headers) reply.header(name, value);
    if (body.kind === 'complete') return body.string;
    throw new Error('the schema has nothing that is answered in parts');
  };
}

/** Answered, or left by its client. Made once: that every operation would make one, with its stack, shows in profiles. */
const IS_OVER = new DOMException('The operation is over.', 'AbortError');

/** Told from a client who left: a slow service must answer for the one, not for the other. */
const timeIsUp = () => new DOMException('The operation took too long.', 'TimeoutError');

function toGraphqlRequest({
  method,
  url,
  headers,
  body,
}: FastifyRequest): HTTPGraphQLRequest {
  const map = new HeaderMap();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined)
      map.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const queryStart = url.indexOf('?');
  return {
    method: method.toUpperCase(),
    headers: map,
    search: queryStart === -1 ? '' : withoutEmpty(url.slice(queryStart)),
    body: nameDocument(body),
  };
}

/** An empty parameter is one that is not given. Source: GraphQL over HTTP, "GET". */
const withoutEmpty = (search: string): string =>
  search.replace(/(?<=[?&])(?:operationName|variables|extensions)=(?:&|$)/g, '');
