import type { ErrorCode } from '../rest/error-codes.ts';
import type { Transport } from './streams.ts';

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
