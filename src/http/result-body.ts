import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FormattedExecutionResult } from 'graphql';
import type { ResultStream } from '../operation/request.ts';
import type { StreamFormat } from './stream-format.ts';
import { CLOSE_MS, HEARTBEAT_MS, type Streams } from './streams.ts';

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
export function toResultBody(
  results: ResultStream,
  { response, format, streams }: ResultBodyOptions,
): Readable {
  const body = new ResultBody(results, format);
  let timer: NodeJS.Timeout | undefined;
  function close(): void {
    body.drain();
    // A client that does not read would hold up the stop.
    timer = setTimeout(() => response.destroy(), CLOSE_MS).unref();
  }
  const ended = streams.add({
    transport: format.transport,
    close,
    destroy: () => body.destroy(),
  });
  body.once('close', ended);
  response.once('close', () => {
    clearTimeout(timer);
    body.destroy();
  });
  return body;
}

interface ResultBodyOptions {
  readonly response: ServerResponse;
  readonly format: StreamFormat;
  readonly streams: Streams;
}

class ResultBody extends Readable {
  readonly #results: ResultStream;
  readonly #format: StreamFormat;
  readonly #heartbeats: NodeJS.Timeout;
  #isTaking = false;
  #isOver = false;

  constructor(results: ResultStream, format: StreamFormat) {
    super();
    this.#results = results;
    this.#format = format;
    this.push(format.start);
    this.#heartbeats = setInterval(() => {
      if (this.readableLength === 0) this.#add(format.heartbeat);
    }, HEARTBEAT_MS).unref();
    results.onOverrun(() => this.destroy());
  }

  /** Ends so that the client connects again. */
  drain(): void {
    this.#results.end('drained');
    this.#end(this.#format.drained);
  }

  override _read(): void {
    // A heartbeat makes Node read again, too.
    if (!this.#isTaking) void this.#take();
  }

  async #take(): Promise<void> {
    this.#isTaking = true;
    try {
      const { done, value } = await this.#results.next();
      if (done !== true) this.#add(this.#format.result(toJson(value)));
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

const toJson = (result: FormattedExecutionResult): string => JSON.stringify(result);
