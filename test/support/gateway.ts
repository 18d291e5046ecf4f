import {
  type Environment,
  type Gateway,
  loadConfig,
  startGateway,
} from '../../src/gateway.ts';

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
  /** Default: Ann's. Null sends no Authorization header. */
  readonly token?: string | null;
  readonly variables?: Record<string, unknown>;
  /** Sent beside the query. */
  readonly extensions?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

export interface TestGateway extends Gateway {
  /** Sends an operation over HTTP as a client would. */
  ask(query: string, options?: AskOptions): Promise<GraphqlAnswer>;
}

/** A gateway on a free port in front of `messagingUrl`, with the settings of `env`. */
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

  async function ask(query: string, options: AskOptions = {}): Promise<GraphqlAnswer> {
    const { token = 'ann-token', variables, extensions, headers, signal } = options;
    const response = await fetch(`${gateway.url}/graphql`, {
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
      status: response.status,
      headers: response.headers,
      ...((await response.json()) as Omit<GraphqlAnswer, 'status' | 'headers'>),
    };
  }
  return { ...gateway, ask };
}

/** The codes of an answer's errors by their path, `messages.nodes.1`. */
export const codes = ({ errors = [] }: GraphqlAnswer): Record<string, string> =>
  Object.fromEntries(
    errors.map(({ path = [], extensions }) => [path.join('.'), extensions.code]),
  );
