import type { ServerResponse } from 'node:http';
import type { ResultStream } from '../operation/request.ts';
import type { ErrorCode } from '../rest/error-codes.ts';
import type { PartWriter } from './part-writer.ts';
import { CLOSE_MS, HEARTBEAT_MS, type Streams, type Transport } from './streams.ts';

/** How the results of a subscription are written as the bytes of one answer. */
export interface StreamFormat {
  readonly transport: Transport;
  readonly contentType: string;
  /** Sent at once, because the headers leave with the first bytes. */
  readonly start: string;
  /** Ignored by clients. */
  readonly heartbeat: string;
  /** `json`: one result, without line breaks. `id`: the event's; null if it has none. */
  result(json: string, id: string | null): string;
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
  result: (json, id) =>
    `${id === null ? '' : `id: ${id}\n`}event: next\ndata: ${json}\n\n`,
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
  format.start + format.result(json.trimEnd(), null) + format.complete;

/** The headers of a stream: no proxy may hold events back. */
export const toStreamHeaders = (format: StreamFormat): [string, string][] => [
  ['content-type', format.contentType],
  ['x-accel-buffering', 'no'],
];

/**
 * Sends the results of a subscription as the body of one answer, each when the client has taken the one before. The handler of
 * the package graphql-sse is not used, because it takes the results as fast as they come, whether the client reads them or
 * not, and cannot end a stream without `complete`. Rejects with a bug.
 */
export async function sendResults(
  results: ResultStream,
  format: StreamFormat,
  writer: PartWriter,
  { response, streams }: { readonly response: ServerResponse; readonly streams: Streams },
): Promise<void> {
  let isOver = false;
  const leave = () => void response.destroy();

  async function end(last: string): Promise<void> {
    if (isOver) return;
    isOver = true;
    await writer.send(last);
    response.end();
  }

  /** Ends so that the client connects again. */
  function drain(): void {
    results.end('drained');
    void end(format.drained);
    // Otherwise a client that does not read its end would hold up the stop.
    setTimeout(leave, CLOSE_MS).unref();
  }

  const started = writer.send(format.start);
  const heartbeats = setInterval(() => {
    if (!isOver && writer.isIdle) void writer.send(format.heartbeat);
  }, HEARTBEAT_MS).unref();
  results.onOverrun(leave);
  const { transport } = format;
  const ended = streams.add({ transport, close: drain, destroy: leave });
  const close = () => {
    isOver = true;
    clearInterval(heartbeats);
    writer.close();
    results.end('left');
    ended();
  };
  // The client may have left while the subscription was started.
  if (response.closed) close();
  else response.once('close', close);
  await started;
  for await (const result of results) {
    if (isOver) break;
    await writer.send(format.result(JSON.stringify(result), results.eventId));
  }
  await end(format.complete);
}
