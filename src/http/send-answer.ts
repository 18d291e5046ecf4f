import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { toEncoding } from './compression.ts';
import type { CorsHeaders } from './cors.ts';
import { OVERLOADED } from './error-responses.ts';
import type { Answer, Exchange } from './exchange.ts';
import { HEADERS } from './headers.ts';
import { MAX_DROPPED_BYTES } from './limits.ts';
import type { Together } from './send-together.ts';
import { beginSending, inParts, PART_BYTES } from './sending.ts';
import type { Sendings } from './sendings.ts';

export interface SendOptions {
  readonly corsHeaders: CorsHeaders;
  readonly isDraining: () => boolean;
  readonly sendings: Pick<Sendings, 'begin'>;
  readonly together: Pick<Together, 'later'>;
  /** Counts an answer that was sent. */
  readonly count: (route: string, status: number) => void;
  /** Learns of an error that broke an answer off. */
  readonly failed: (requestId: string, error: unknown) => void;
}

/** `route`: what the request was to, for the metrics. */
export type Send = (exchange: Exchange, answer: Answer, route: string) => void;

const COMMON = Object.entries(HEADERS).flat();
/** Headers that are set here. A list, unlike an object, would send them twice. */
const SET_HERE: ReadonlySet<string> = new Set([
  ...Object.keys(HEADERS),
  'x-request-id',
  'content-length',
]);
/** The client has left, which is no error of the gateway. */
const HAS_LEFT = 'ERR_STREAM_PREMATURE_CLOSE';

/** Makes what sends every answer: with the headers of all, compressed if the client accepts that, in parts if it is long. */
export function createSend(options: SendOptions): Send {
  const { corsHeaders, isDraining, sendings, together, count, failed } = options;

  /** Names, each followed by its value: Node need not copy such a list. */
  function toHead({ id, request }: Exchange, answer: Answer): string[] {
    const { status, headers = [], common, isForOperators = false } = answer;
    const head = common === undefined ? [...COMMON] : Object.entries(common).flat();
    if (!isForOperators) head.push(...corsHeaders(request.headers));
    head.push('x-request-id', id);
    for (const [name, value] of headers) if (!SET_HERE.has(name)) head.push(name, value);
    // A client with a keep-alive connection reconnects, which leads it to another replica. Who is refused room may be slow.
    const isLast = isDraining() || status === OVERLOADED || isStillComing(request);
    if (isLast) head.push('connection', 'close');
    return head;
  }

  function write(exchange: Exchange, answer: Answer): void {
    const { id, request, response } = exchange;
    const { status, body, isPlain = false } = answer;
    // The client has left.
    if (response.destroyed) return;
    const head = toHead(exchange, answer);
    if (typeof body !== 'string') {
      // A file: all its answers share these bytes, so they take no room of their own.
      const isFile = Buffer.isBuffer(body);
      if (isFile) head.push('content-length', String(body.length));
      response.writeHead(status, head);
      if (isFile) flowInParts(exchange, body, 0);
      else flow(exchange, [body]);
      return;
    }
    const encoding = isPlain
      ? null
      : toEncoding(body, request.headers['accept-encoding']);
    if (encoding !== null)
      head.push('content-encoding', encoding.name, 'vary', 'accept-encoding');
    if (body.length > PART_BYTES) {
      // Bytes are freed sooner than text, whose collection waits until the heap has grown by several answers.
      const bytes = Buffer.from(body);
      response.writeHead(status, head);
      flowInParts(exchange, bytes, bytes.length, encoding?.createStream());
      return;
    }
    const sent = encoding?.compress(body) ?? body;
    const bytes = Buffer.byteLength(sent);
    head.push('content-length', String(bytes));
    response.writeHead(status, head);
    // As many bytes as characters: then the text is ASCII, and Node writes that faster as Latin-1.
    response.end(sent, bytes === body.length ? 'latin1' : 'utf8');
    // Nearly always the connection has taken it by now.
    if (response.writableLength > 0)
      response.once('close', beginSending(sendings, response, id, 0).end);
  }

  /** `size`: what the bytes take of the room for all. */
  function flowInParts(
    exchange: Exchange,
    bytes: Buffer,
    size: number,
    through?: Transform,
  ): void {
    const { id, response } = exchange;
    const sending = beginSending(sendings, response, id, size);
    const parts = inParts(bytes, sending);
    flow(exchange, through === undefined ? [parts] : [parts, through], sending.end);
  }

  function flow(
    { id, response }: Exchange,
    streams: readonly (Readable | Transform)[],
    ended = () => {},
  ): void {
    // Not by a listener of the response: `pipeline` adds seven, and Node warns of more than ten.
    pipeline([...streams, response], (error) => {
      ended();
      if (error != null && error.code !== HAS_LEFT) failed(id, error);
    });
  }

  return (exchange, answer, route) => {
    const { id, response } = exchange;
    // Not at once: the client may leave, or have requests before this one that are not answered yet.
    response.once('finish', () => count(route, answer.status));
    const send = () => {
      try {
        write(exchange, answer);
      } catch (error) {
        failed(id, error);
        response.destroy();
      }
    };
    if (typeof answer.body === 'string') together.later(send);
    else send();
  };
}

/**
 * Whether so much of a body that is not read may still come that its connection is closed. Otherwise Node reads the rest of
 * the request: a client that still sends could lose its answer, and a proxy would count that as a failure of the gateway.
 */
const isStillComing = ({ complete, headers }: IncomingMessage): boolean =>
  !complete &&
  (headers['transfer-encoding'] !== undefined ||
    Number(headers['content-length']) > MAX_DROPPED_BYTES);
