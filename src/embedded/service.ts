import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answers, DEFAULT_ANSWERS } from './answers.ts';
import { conversationRoutes } from './conversations.ts';
import { HttpError } from './errors.ts';
import { readFields } from './fields.ts';
import { type Fields, parseForm, parseJsonBody } from './form.ts';
import { messageRoutes } from './messages.ts';
import { type ServiceResponse, toErrorResponse, toResponse } from './responses.ts';
import type { Route } from './route.ts';
import { addSampleData, SAMPLE_USERS, type SampleUser } from './sample/mailboxes.ts';
import { type Mailbox, Store } from './store.ts';

const ROUTES = [...messageRoutes, ...conversationRoutes];

/** Open point: message and attachment limits. */
const MAX_BODY_BYTES = 1024 * 1024;

export interface EmbeddedOptions {
  /** Default `127.0.0.1`. */
  host?: string;
  /** Default 0: any free port. */
  port?: number;
  /** Missing answers are those of `DEFAULT_ANSWERS`. */
  answers?: Partial<Answers>;
  /** Called for every request, just before its response is sent. */
  onCall?: (call: Call) => void;
}

/** One request as received, and the status of its response. */
export interface Call {
  method: string;
  /** Path and query. */
  url: string;
  authorization: string | undefined;
  /** Its `X-Request-Id`. */
  requestId: string | undefined;
  /** Raw; empty if the body was not read. */
  body: string;
  status: number;
}

export interface EmbeddedService {
  /** `http://127.0.0.1:PORT`, without a slash or `/v1` at its end. */
  url: string;
  sampleUsers: readonly SampleUser[];
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves the whole messaging interface over HTTP, from memory. The sample data is the same at every
 * start. Source: Endpoints; `answers` fill its gaps.
 */
export async function startEmbeddedService({
  host = '127.0.0.1',
  port = 0,
  answers: given = {},
  onCall = () => {},
}: EmbeddedOptions = {}): Promise<EmbeddedService> {
  const answers: Answers = { ...DEFAULT_ANSWERS, ...given };
  const store = new Store(answers);
  addSampleData(store, answers);
  const countCall = createRateLimit(answers);
  const failSome = createFailures(answers.failures);

  /** Source: Authentication. */
  function authenticate(authorization = ''): Mailbox {
    const token = /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
    const mailbox = store.mailboxes.get(token);
    if (mailbox === undefined) {
      throw new HttpError(401, 'unauthenticated', 'a valid access token is required', {
        'www-authenticate': 'Bearer',
      });
    }
    countCall(token);
    return mailbox;
  }

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { method = '', url = '', headers } = request;
    let body = '';
    let sent: ServiceResponse;
    try {
      failSome();
      const { route, id, search } = findRoute(method, url);
      // Before the body is read, so that an unknown caller gets 401 for any body.
      const mailbox = authenticate(headers.authorization);
      if (method !== 'GET') body = await readText(request);
      const query = parseForm(search);
      if (method !== 'GET') readFields(query, {});
      const type = headers['content-type'];
      const fields = method === 'GET' ? query : readBody(body, type, answers);
      const result = route.handle({ answers, store, mailbox, id, fields });
      sent = toResponse(method, result, answers);
    } catch (error) {
      sent = toErrorResponse(error, answers);
    }
    if (answers.latency > 0) await sleep(answers.latency);
    const { authorization } = headers;
    const requestId = headers['x-request-id']?.toString();
    onCall({ method, url, authorization, requestId, body, status: sent.status });
    // The client has left.
    if (response.destroyed) return;
    const length = String(Buffer.byteLength(sent.body));
    response.writeHead(sent.status, { ...sent.headers, 'content-length': length });
    response.end(sent.body);
  }

  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen({ host, port }), 'listening');
  async function close(): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    // Otherwise it would wait for idle connections.
    server.closeAllConnections();
    await closed;
  }
  const url = toUrl(server.address() as AddressInfo);
  return { url, sampleUsers: SAMPLE_USERS, close, [Symbol.asyncDispose]: close };
}

/** The address by which this machine reaches the server. */
export function toUrl({ address, port, family }: AddressInfo): string {
  const local: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  const host = local[address] ?? address;
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`;
}

/** The endpoint of a request, the id in its path, and its query. */
function findRoute(
  method: string,
  url: string,
): { readonly route: Route; readonly id: string; readonly search: string } {
  const [, path = '', search = ''] = /^([^?]*)\??(.*)$/s.exec(url) ?? [];
  const [, list = '', item] = /^\/v1(\/\w+)(?:\/([^/]+))?$/.exec(path) ?? [];
  const pattern = item === undefined ? list : `${list}/:id`;
  const route = ROUTES.find((one) => one.method === method && one.path === pattern);
  if (route === undefined) {
    throw new HttpError(404, 'no_such_route', `${method} ${url} is not an endpoint`);
  }
  try {
    return { route, id: decodeURIComponent(item ?? ''), search };
  } catch {
    throw new HttpError(400, 'invalid_request', 'the path is malformed');
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length > MAX_BODY_BYTES)
      throw new HttpError(413, 'too_large', 'the body is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** Reads a missing body as an empty form. Open point: JSON bodies. */
function readBody(body: string, contentType = '', { jsonBodies }: Answers): Fields {
  if (body === '') return new Map();
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded') return parseForm(body);
  if (type === 'application/json' && jsonBodies === 'accept') return parseJsonBody(body);
  const message = 'send the body as application/x-www-form-urlencoded';
  throw new HttpError(415, 'unsupported_media_type', message);
}

/** Makes a function that throws for this many of each hundred calls, evenly spread. */
function createFailures(ofHundred: number): () => void {
  let calls = 0;
  const failed = () => Math.floor((calls * ofHundred) / 100);
  return () => {
    const before = failed();
    calls += 1;
    if (failed() > before)
      throw new HttpError(503, 'unavailable', `${ofHundred} of 100 calls fail`);
  };
}

const WINDOW_MS = 1000;

/** Counts the calls of each token in windows of one second. Open point: rate limits. */
function createRateLimit({ rateLimit, retryAfter }: Answers): (token: string) => void {
  const windows = new Map<string, { endsAt: number; calls: number }>();
  return (token) => {
    if (rateLimit === null) return;
    let window = windows.get(token);
    if (window === undefined || Date.now() >= window.endsAt) {
      window = { endsAt: Date.now() + WINDOW_MS, calls: 0 };
      windows.set(token, window);
    }
    window.calls += 1;
    if (window.calls <= rateLimit) return;
    // HTTP dates have whole seconds; rounding up keeps the date from preceding the window's end.
    const date = new Date(Math.ceil(window.endsAt / 1000) * 1000).toUTCString();
    const headers = {
      none: {},
      seconds: { 'retry-after': '1' },
      date: { 'retry-after': date },
    }[retryAfter];
    const message = `at most ${rateLimit} calls per second are allowed`;
    throw new HttpError(429, 'rate_limited', message, headers);
  };
}
