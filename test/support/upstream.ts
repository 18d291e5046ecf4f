import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as it arrived. */
interface UpstreamCall {
  /** Method and target, `GET /v1/messages/m1`. */
  readonly line: string;
  readonly form: string;
  readonly token: string | undefined;
}

export interface UpstreamAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** Sent as JSON unless it is a string. */
  readonly body?: unknown;
  /** How long it takes. Unit: milliseconds. */
  readonly delayMs?: number;
  /** Ends the connection instead of answering: before the head, or in the middle of the body. */
  readonly broken?: 'before' | 'within';
}

export type Respond = (call: UpstreamCall) => UpstreamAnswer | Promise<UpstreamAnswer>;

export interface Upstream {
  readonly url: string;
  readonly calls: UpstreamCall[];
  /** The headers of each of the calls. */
  readonly headers: IncomingHttpHeaders[];
  /** Calls as `GET /v1/...`, in the order in which they arrived. */
  lines(): string[];
  /** The most requests that were open at once. */
  readonly mostAtOnce: number;
  /** Requests whose client went away before the answer. */
  readonly aborted: string[];
  readonly connections: number;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A messaging service that says what a test wants it to: answers by `METHOD /path`, without the query; a list of
 * answers is given one by one, the last again and again. What is not scripted is 404.
 */
export async function startUpstream(
  script: Respond | Record<string, unknown>,
): Promise<Upstream> {
  const respond = typeof script === 'function' ? script : scripted(script);
  const calls: UpstreamCall[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const aborted: string[] = [];
  const state = { open: 0, mostAtOnce: 0, connections: 0 };

  const server = createServer(async (request, response) => {
    const call = await readCall(request);
    calls.push(call);
    headers.push(request.headers);
    state.open += 1;
    state.mostAtOnce = Math.max(state.mostAtOnce, state.open);
    response.once('close', () => {
      state.open -= 1;
      if (!response.writableFinished) aborted.push(call.line);
    });
    await answer(response, await respond(call));
  });
  server.on('connection', () => {
    state.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    headers,
    aborted,
    lines: () => calls.map(({ line }) => line),
    get mostAtOnce() {
      return state.mostAtOnce;
    },
    get connections() {
      return state.connections;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An answer with a status or the like, told from a plain body by this mark. */
export const answering = (details: UpstreamAnswer) => ({ [ANSWER]: details });
const ANSWER = Symbol('answer');

function scripted(script: Record<string, unknown>): Respond {
  const queues = new Map(
    Object.entries(script).map(([line, body]) => [
      line,
      Array.isArray(body) ? [...body] : [body],
    ]),
  );
  return ({ line }) => {
    const queue = queues.get(line) ?? queues.get(line.split('?')[0] ?? '');
    if (queue === undefined) return { status: 404, body: { error: 'unknown' } };
    const next = queue.length > 1 ? queue.shift() : queue[0];
    return typeof next === 'object' && next !== null && ANSWER in next
      ? (next[ANSWER] as UpstreamAnswer)
      : { body: next };
  };
}

async function readCall(request: IncomingMessage): Promise<UpstreamCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return {
    line: `${request.method} ${request.url}`,
    form: Buffer.concat(chunks).toString(),
    token: request.headers.authorization,
  };
}

async function answer(
  response: ServerResponse,
  { status = 200, headers = {}, body = '', delayMs = 0, broken }: UpstreamAnswer,
): Promise<void> {
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  if (broken === 'before') {
    response.destroy();
    return;
  }
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  if (broken === 'within') {
    response.writeHead(status, { 'content-length': Buffer.byteLength(text) + 10 });
    response.write(text, () => response.destroy());
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(status === 204 ? undefined : text);
}
