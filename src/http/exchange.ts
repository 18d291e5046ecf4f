import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ReplacedBody } from './body.ts';
import type { PartWriter } from './part-writer.ts';

/** One request over HTTP, and where its answer goes. */
export interface Exchange {
  /** The request id. */
  readonly id: string;
  readonly request: IncomingMessage;
  /** Null: the body is the request's own. */
  readonly replacedBody: ReplacedBody | null;
  readonly response: ServerResponse;
}

/** An answer, before the headers that every answer has. */
export interface Answer {
  readonly status: number;
  /** With names in lower case. */
  readonly headers?: Iterable<readonly [name: string, value: string]>;
  /** A long text is compressed, if the client accepts that; bytes are sent as they are. A function sends a stream, and ends with it. */
  readonly body: string | Buffer | ((writer: PartWriter) => Promise<void>);
  /** Whether its text, too, is sent as it is. */
  readonly isPlain?: boolean;
  /** Instead of the headers that every answer has. */
  readonly common?: Readonly<Record<string, string>>;
  /** Whether no page in a browser may read it. */
  readonly isForOperators?: boolean;
}

export const toJsonAnswer = (
  status: number,
  body: object,
  headers: readonly (readonly [string, string])[] = [],
): Answer => ({
  status,
  headers: [['content-type', 'application/json; charset=utf-8'], ...headers],
  body: JSON.stringify(body),
});
