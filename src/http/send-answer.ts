import { transcode } from 'node:buffer';
import { pipeline, type Transform } from 'node:stream';
import { toEncoding } from './compression.ts';
import type { HttpContext } from './context.ts';
import { NO_CONTENT, OVERLOADED } from './error-responses.ts';
import type { Answer, Exchange } from './exchange.ts';
import { HEADERS, toCorsHeaders } from './headers.ts';
import { MAX_DROPPED_BYTES, PART_BYTES } from './limits.ts';
import { PartWriter, type SendPart } from './part-writer.ts';
import type { Recipient } from './slow-clients.ts';

const COMMON = Object.entries(HEADERS).flat();
/** A longer body is encoded as UTF-8 at once, which takes less than to measure it first. Unit: characters. */
const ENCODED_ONCE = 1024;
/**
 * A longer one is encoded by ICU, which takes a third of the time for text beyond Latin-1, and some microseconds more for other text.
 * Unit: characters.
 */
const TRANSCODED = 4096;
/** Headers that are set here. A list, unlike an object, would send them twice. */
const SET_HERE: ReadonlySet<string> = new Set([
  ...Object.keys(HEADERS),
  'x-request-id',
  'content-length',
]);
/** The client has left, which is no error of the gateway. */
const HAS_LEFT = 'ERR_STREAM_PREMATURE_CLOSE';

/** Sends every answer: with the headers of all, compressed if the client accepts that, in parts if it is long. */
export function createSender(context: HttpContext) {
  const { drain, slowClients, count, failed } = context;
  const corsHeaders = toCorsHeaders(context.corsOrigins);
  const defer = createWriteBatch();

  /** Names, each followed by its value: Node need not copy such a list. */
  function toHead(exchange: Exchange, answer: Answer): string[] {
    const { id, request } = exchange;
    const { status, headers = [], common, isForOperators = false } = answer;
    const head = common === undefined ? [...COMMON] : Object.entries(common).flat();
    if (!isForOperators) head.push(...corsHeaders(request.headers));
    head.push('x-request-id', id);
    for (const [name, value] of headers) if (!SET_HERE.has(name)) head.push(name, value);
    // While the gateway drains, a client that must reconnect is led to another replica. A 429 to a request that has not come
    // whole also closes the connection, because the client may be a slow sender.
    const isSlow = status === OVERLOADED && !exchange.request.complete;
    const isLast = drain.isDraining() || isSlow || isStillComing(exchange);
    if (isLast) head.push('connection', 'close');
    return head;
  }

  function write(exchange: Exchange, answer: Answer): void {
    const { request, response } = exchange;
    const { status, body, isPlain = false } = answer;
    const head = toHead(exchange, answer);
    if (typeof body === 'function') {
      response.writeHead(status, head);
      body(toWriter(exchange)).catch((error) => {
        failed(exchange.id, error);
        response.destroy();
      });
      return;
    }
    // The client has left. A stream must learn of that.
    if (response.destroyed) return;
    if (typeof body !== 'string') {
      head.push('content-length', String(body.length));
      response.writeHead(status, head);
      void toAnswerWriter(exchange).sendFile(body);
      return;
    }
    const isLong = body.length > PART_BYTES;
    const whole = isLong || body.length < ENCODED_ONCE ? body : toUtf8(body);
    // Of a long one, the fewest that it can have.
    const bytes = isLong ? body.length : Buffer.byteLength(whole);
    const accepted = isPlain ? undefined : request.headers['accept-encoding'];
    const encoding = toEncoding(bytes, accepted);
    if (encoding !== null)
      head.push('content-encoding', encoding.name, 'vary', 'accept-encoding');
    if (isLong) {
      response.writeHead(status, head);
      void toAnswerWriter(exchange, encoding?.createStream()).send(body);
      return;
    }
    const compressed = encoding?.compress(whole);
    // A 204 has no body, and must not have a length (RFC 9110).
    if (status !== NO_CONTENT)
      head.push('content-length', String(compressed?.length ?? bytes));
    response.writeHead(status, head);
    // As many bytes as characters: then the text is ASCII, and Node writes that faster as Latin-1.
    response.end(compressed ?? whole, bytes === body.length ? 'latin1' : 'utf8');
    // Nearly always the connection has taken it by now.
    if (response.writableLength > 0)
      response.once('close', slowClients.begin(toRecipient(exchange)).end);
  }

  /** The writer of the messages of a stream. */
  function toWriter(exchange: Exchange): PartWriter {
    const { response } = exchange;
    const sendPart: SendPart = (part, _isLast, taken) => {
      if (response.write(part)) taken();
      else response.once('drain', taken);
    };
    return new PartWriter(sendPart, toRecipient(exchange), slowClients);
  }

  /** The writer of a whole answer, perhaps through a stream that compresses it. */
  function toAnswerWriter(exchange: Exchange, through?: Transform): PartWriter {
    const { id, response } = exchange;
    const sink = through ?? response;
    if (through !== undefined)
      pipeline(through, response, (error) => {
        if (error != null && error.code !== HAS_LEFT) failed(id, error);
      });
    const sendPart: SendPart = (part, isLast, taken) => {
      if (isLast) {
        response.once('finish', taken);
        sink.end(part);
      } else if (sink.write(part)) taken();
      else sink.once('drain', taken);
    };
    const writer = new PartWriter(sendPart, toRecipient(exchange), slowClients);
    response.once('close', () => writer.close());
    return writer;
  }

  return {
    /** `route`: the name of a Route, for the metrics. */
    send(exchange: Exchange, answer: Answer, route: string): void {
      const { id, response } = exchange;
      // Counted when it is sent: the client may leave before, or requests before this one may not be answered yet.
      response.on('finish', () => count(route, answer.status));
      const writeSafely = () => {
        try {
          write(exchange, answer);
        } catch (error) {
          failed(id, error);
          response.destroy();
        }
      };
      if (typeof answer.body === 'string') defer(writeSafely);
      else writeSafely();
    },
  };
}

/** The text is well-formed, because it is JSON or the gateway's own: at a lone surrogate, `transcode` would throw. */
const toUtf8 = (text: string): Buffer =>
  text.length < TRANSCODED
    ? Buffer.from(text)
    : transcode(Buffer.from(text, 'utf16le'), 'utf16le', 'utf8');

function toRecipient({ id, response }: Exchange): Recipient {
  // A response that waits behind another one of its connection has no socket yet.
  const { socket } = response.req;
  return {
    requestId: id,
    isGone: () => socket.destroyed,
    disconnect() {
      socket.destroy();
      response.destroy();
    },
  };
}

/**
 * Writes the answers of one phase of the event loop together, at its end. A client that waits must be woken, and waking a
 * process costs more than writing to it: the first answer wakes the client, a proxy for example, and it is still awake for
 * the others.
 */
function createWriteBatch() {
  let waiting: (() => void)[] = [];

  function flush(): void {
    const writes = waiting;
    waiting = [];
    for (const write of writes) write();
  }

  return (write: () => void): void => {
    if (waiting.length === 0) setImmediate(flush);
    waiting.push(write);
  };
}

/**
 * Whether so much of a body that is not read may still come that its connection is closed. Otherwise Node reads the rest of
 * the request: a client that still sends could lose its answer, and a proxy would count that as a failure of the gateway.
 */
const isStillComing = ({ request, replacedBody }: Exchange): boolean =>
  !request.complete &&
  (replacedBody !== null ||
    request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length']) > MAX_DROPPED_BYTES);
