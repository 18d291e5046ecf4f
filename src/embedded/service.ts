import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answers, DEFAULT_ANSWERS } from './answers.ts';
import { createContext } from './context.ts';
import { createEndpoints, type ServiceResponse } from './endpoints.ts';
import { HttpError, toErrorBody } from './errors.ts';
import { createMailboxes, SAMPLE_USERS, type SampleUser } from './sample/mailboxes.ts';

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
  const open = createEndpoints(createContext(answers), createMailboxes(answers));

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { method = '', url = '', headers } = request;
    let body = '';
    let sent: ServiceResponse;
    try {
      // Before the body is read, so that an unknown caller gets 401 for any body.
      const handle = open({ method, url, headers });
      if (method !== 'GET') body = await readText(request);
      sent = handle(body);
    } catch (error) {
      sent = toErrorResponse(error, answers);
    }
    const { authorization } = headers;
    onCall({ method, url, authorization, body, status: sent.status });
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
function toUrl({ address, port, family }: AddressInfo): string {
  const local: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  const host = local[address] ?? address;
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`;
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

function toErrorResponse(error: unknown, answers: Answers): ServiceResponse {
  // Any other error is a bug of the embedded service.
  const known =
    error instanceof HttpError ? error : new HttpError(500, 'internal', String(error));
  const { type, body } = toErrorBody(known, answers) ?? { type: null, body: '' };
  const headers =
    type === null ? known.headers : { ...known.headers, 'content-type': type };
  return { status: known.status, headers, body };
}
