import {
  type Environment,
  type ListeningGateway,
  loadConfig,
  startGateway,
} from '../../src/gateway.ts';
import { type Script, startUpstream, withService } from './upstream.ts';

interface GraphqlError {
  readonly message: string;
  readonly path?: (string | number)[];
  readonly extensions: Record<string, unknown> & { code: string };
}

export interface GraphqlAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  readonly data: any;
  readonly errors?: readonly GraphqlError[];
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  readonly extensions?: any;
}

export interface AskOptions {
  /** Default: `ann-token`. Null sends no Authorization header. */
  readonly token?: string | null;
  readonly variables?: Record<string, unknown>;
  /** The request's `extensions`, beside the query. */
  readonly extensions?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

export interface TestGateway extends ListeningGateway {
  /** Sends an operation over HTTP as a client would. */
  ask(query: string, options?: AskOptions): Promise<GraphqlAnswer>;
}

/** Starts a gateway on a free port for the service at `messagingUrl`, with the settings of `env`. */
export async function startTestGateway(
  messagingUrl: string,
  env: Environment = {},
): Promise<TestGateway> {
  const config = loadConfig({
    MESSAGING_URL: messagingUrl,
    PORT: '0',
    LOG_LEVEL: 'silent',
    ...env,
  });
  const gateway = await startGateway(config);
  return { ...gateway, ask: (query, options) => ask(gateway.url, query, options) };
}

/** Starts a gateway in front of a service that follows a script; by default, it has the message m1. */
export async function startScripted(script?: Script, env: Environment = {}) {
  const service = await startUpstream(script);
  return withService(await startTestGateway(service.url, env), service);
}

/** Sends one operation to a gateway and a service of its own. */
export async function askOnce(
  query: string,
  script: Script,
  { env, ...options }: AskOptions & { readonly env?: Environment } = {},
) {
  await using gateway = await startScripted(script, env);
  const answer = await gateway.ask(query, options);
  const { calls } = gateway.service;
  return {
    ...answer,
    error: answer.errors?.[0],
    codes: codes(answer),
    calls,
    lines: calls.map(({ line }) => line),
    form: calls[0]?.form ?? '',
  };
}

/** Sends an operation to the gateway at `url`, over HTTP as a client would. */
export async function ask(
  url: string,
  query: string,
  options: AskOptions = {},
): Promise<GraphqlAnswer> {
  const { token = 'ann-token', variables, extensions, headers, signal } = options;
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ query, variables, extensions }),
    signal: signal ?? null,
  });
  return {
    ...((await response.json()) as Omit<GraphqlAnswer, 'status' | 'headers'>),
    status: response.status,
    headers: response.headers,
  };
}

/** Texts one after another. */
export const repeat = (times: number, text: (index: number) => string): string =>
  Array.from({ length: times }, (_, index) => text(index)).join(' ');

/** An operation of `count` reads. */
export const reads = (count: number, prefix = 'm'): string =>
  `{ ${repeat(count, (index) => `f${index}: message(id: "${prefix}${index}") { id }`)} }`;

/** The error codes of an answer by path, `messages.nodes.1`. */
export const codes = ({ errors = [] }: GraphqlAnswer): Record<string, string> =>
  Object.fromEntries(
    errors.map(({ path = [], extensions }) => [path.join('.'), extensions.code]),
  );

/** As in graphql-js, errors are listed as the calls are answered: two that are under way together may be answered in either order. */
export function withSortedErrors(answer: string): string {
  const begin = answer.indexOf('{"errors":[');
  if (begin === -1) return answer;
  const { errors, ...rest } = JSON.parse(answer.slice(begin));
  const sorted = errors.map((error: unknown) => JSON.stringify(error)).toSorted();
  return answer.slice(0, begin) + JSON.stringify({ errors: sorted, ...rest });
}
