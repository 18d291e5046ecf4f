import { EventEmitter, once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { wireMessage } from './wire.ts';

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
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  /** How long to wait before the answer. Unit: milliseconds. */
  readonly delayMs?: number;
  /** Waits until so many calls are open, so that they were sent without waiting for one another. */
  readonly together?: number;
  /** Closes the connection before the head, or in the middle of the body. */
  readonly broken?: 'before' | 'within';
  /** Writes the whole response; all other fields are ignored. */
  readonly write?: (response: ServerResponse) => Promise<void>;
}

export type Respond = (
  call: UpstreamCall,
  headers: IncomingHttpHeaders,
) => UpstreamAnswer | Promise<UpstreamAnswer>;

/**
 * What a service answers: a function; or a record of bodies by `METHOD /path`, which may leave out the query; or `answering`
 * something, whatever the call. An array gives its items one by one, then repeats the last. Anything else gets 404.
 */
export type Script = Respond | Record<string, unknown>;

/** Starts a fake messaging service on a free port, over https if it has a certificate. By default it has the message m1. */
export async function startUpstream(
  script: Script = { 'GET /v1/messages/m1': wireMessage('m1') },
  tls?: ServerOptions,
) {
  const respond = typeof script === 'function' ? script : scripted(script);
  const calls: UpstreamCall[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const aborted: string[] = [];
  const state = { open: 0, mostAtOnce: 0, connections: 0 };
  const opened = new EventEmitter().setMaxListeners(0);

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const call = await readCall(request);
    calls.push(call);
    headers.push(request.headers);
    state.open += 1;
    state.mostAtOnce = Math.max(state.mostAtOnce, state.open);
    opened.emit('call');
    response.once('close', () => {
      state.open -= 1;
      if (!response.writableFinished) aborted.push(call.line);
    });
    const answer = await respond(call, request.headers);
    while (state.open < (answer.together ?? 0)) await once(opened, 'call');
    await send(response, answer);
  };
  const server = tls ? createTlsServer(tls, serve) : createServer(serve);
  server.on('connection', () => {
    state.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    /** In the order of arrival. */
    calls,
    /** The headers of each call. */
    headers,
    /** Requests whose client left before the end of the answer. */
    aborted,
    /** The calls as `GET /v1/...`. */
    lines: () => calls.map(({ line }) => line),
    /** The highest number of requests open at once. */
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

export type Upstream = Awaited<ReturnType<typeof startUpstream>>;

/** A gateway with the service behind it, which end together. */
export const withService = <G extends AsyncDisposable>(
  gateway: G,
  service: Upstream,
) => ({
  ...gateway,
  service,
  async [Symbol.asyncDispose]() {
    await gateway[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  },
});

/** More than the buffers of a connection over the loopback hold. */
export const LONG_ANSWER_BYTES = 15_000_000;
/** Its answer is longer than that, in front of the service below. */
export const LONG_QUERY = `{ ${Array.from({ length: 25 }, (_, i) => `a${i}: message(id: "m1") { message }`).join(' ')} }`;
export const startLongService = () =>
  startUpstream({
    'GET /v1/messages/m1': wireMessage('m1', {
      message: 'x'.repeat(LONG_ANSWER_BYTES / 25),
    }),
  });

/** Marks a value in a script as a whole answer. Without the mark it would be sent as a body. */
export const answering = (details: UpstreamAnswer) => ({ [ANSWER]: details });
const ANSWER = Symbol('answer');

const isAnswer = (value: unknown): value is ReturnType<typeof answering> =>
  typeof value === 'object' && value !== null && ANSWER in value;

function scripted(script: Record<string, unknown>): Respond {
  if (isAnswer(script)) return () => script[ANSWER];
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
    return isAnswer(next) ? next[ANSWER] : { body: next };
  };
}

/** Reads the whole body of a request or a response. */
export async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const readCall = async (request: IncomingMessage): Promise<UpstreamCall> => ({
  line: `${request.method} ${request.url}`,
  form: await readText(request),
  token: request.headers.authorization,
});

export async function send(
  response: ServerResponse,
  { status = 200, headers = {}, body = '', delayMs = 0, broken, write }: UpstreamAnswer,
): Promise<void> {
  if (write !== undefined) return await write(response);
  if (delayMs > 0) await sleep(delayMs);
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
