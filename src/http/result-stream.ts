import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ResultStream } from '../operation/request.ts';
import type { ErrorCode } from '../rest/error-codes.ts';
import { CLOSE_MS, HEARTBEAT_MS, type Streams, type Transport } from './streams.ts';

/** How the results of a subscription are written as the bytes of one answer. */
export interface StreamFormat {
  readonly transport: Transport;
  readonly contentType: string;
  /** Sent at once, because the headers leave with the first bytes. */
  readonly start: string;
  /** Ignored by clients. */
  readonly heartbeat: string;
  /** `json`: one result, without line breaks. */
  result(json: string): string;
  /** The end of an operation. A client that has seen it does not connect again. */
  readonly complete: string;
  /** The end of an answer whose operation is not over, because the gateway stops: the client connects again. */
  readonly drained: string;
}

/** Server-sent events: the distinct-connections mode of GraphQL over SSE. */
export const EVENTS: StreamFormat = {
  transport: 'sse',
  contentType: 'text/event-stream; charset=utf-8',
  start: ':\n\n',
  heartbeat: ':\n\n',
  result: (json) => `event: next\ndata: ${json}\n\n`,
  complete: 'event: complete\ndata:\n\n',
  drained: '',
};

/** Stands before every part. JSON has no line breaks, so none can hold it. */
const BOUNDARY = '\r\n--graphql';

/** A part is read when the boundary behind it has arrived, so each is sent with that. */
const toPart = (json: string): string =>
  `\r\ncontent-type: application/json; charset=utf-8\r\n\r\n${json}${BOUNDARY}`;

const CODE: ErrorCode = 'SERVICE_RESTART';
/** An error of the transport, after which Apollo Client may subscribe again. */
const RESTART = JSON.stringify({
  payload: null,
  errors: [
    { message: 'The gateway stops: subscribe again.', extensions: { code: CODE } },
  ],
});

/** The multipart protocol for subscriptions of Apollo, as the HttpLink of its client asks for it. */
export const MULTIPART: StreamFormat = {
  transport: 'multipart',
  contentType: 'multipart/mixed; boundary="graphql"; subscriptionSpec="1.0"',
  start: BOUNDARY + toPart('{}'),
  heartbeat: toPart('{}'),
  result: (json) => toPart(`{"payload":${json}}`),
  complete: '--\r\n',
  drained: `${toPart(RESTART)}--\r\n`,
};

/** The answer to an operation that has one result, as a stream. `json`: the result. */
export const toSingleResult = (format: StreamFormat, json: string): string =>
  format.start + format.result(json.trimEnd()) + format.complete;

/** The headers of a stream: no proxy may hold events back. */
export const toStreamHeaders = (format: StreamFormat): [string, string][] => [
  ['content-type', format.contentType],
  ['x-accel-buffering', 'no'],
];

/**
 * The results of a subscription as the body of one answer. The handler of the package graphql-sse is not used, because it
 * takes the results as fast as they come, whether the client reads them or not, and cannot end a stream without `complete`.
 */
export class ResultBody extends Readable {
  readonly #results: ResultStream;
  readonly #format: StreamFormat;
  readonly #heartbeats: NodeJS.Timeout;
  #isTaking = false;
  #isOver = false;

  constructor(
    results: ResultStream,
    format: StreamFormat,
    {
      response,
      streams,
    }: { readonly response: ServerResponse; readonly streams: Streams },
  ) {
    super();
    this.#results = results;
    this.#format = format;
    this.push(format.start);
    this.#heartbeats = setInterval(() => {
      if (this.readableLength === 0) this.#add(format.heartbeat);
    }, HEARTBEAT_MS).unref();
    results.onOverrun(() => this.destroy());
    const ended = streams.add({
      transport: format.transport,
      close: () => this.#drain(response),
      destroy: () => this.destroy(),
    });
    this.once('close', ended);
    // The client may have left while the subscription was started.
    if (response.closed) this.destroy();
    else response.once('close', () => this.destroy());
  }

  /** Ends so that the client connects again. */
  #drain(response: ServerResponse): void {
    this.#results.end('drained');
    this.#end(this.#format.drained);
    // Otherwise a client that does not read its end would hold up the stop.
    setTimeout(() => response.destroy(), CLOSE_MS).unref();
  }

  override _read(): void {
    // A heartbeat makes Node read again, too.
    if (!this.#isTaking) void this.#take();
  }

  async #take(): Promise<void> {
    this.#isTaking = true;
    try {
      const { done, value } = await this.#results.next();
      if (done !== true) this.#add(this.#format.result(JSON.stringify(value)));
      else this.#end(this.#format.complete);
    } catch (error) {
      this.destroy(error as Error);
    } finally {
      this.#isTaking = false;
    }
  }

  #add(text: string): void {
    if (!this.#isOver) this.push(text);
  }

  #end(last: string): void {
    if (this.#isOver) return;
    this.#add(last);
    this.#isOver = true;
    this.push(null);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#isOver = true;
    clearInterval(this.#heartbeats);
    this.#results.end('left');
    done(error);
  }
}
