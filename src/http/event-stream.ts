import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { FormattedExecutionResult } from 'graphql';
import type { ResultStream } from '../operation/request.ts';
import { EVENT_STREAM } from './media-type.ts';
import type { Streams } from './streams.ts';

/** Proxies and clients take a connection for dead if nothing comes. Unit: milliseconds. */
const HEARTBEAT_MS = 10_000;
/** A comment, which clients ignore. */
const HEARTBEAT = ':\n\n';
/** The last event of an operation. A client that has seen it does not connect again. */
const COMPLETE = 'event: complete\ndata:\n\n';

/** The bytes of one result. JSON has no line breaks, which would end the event. */
const toEvent = (json: string): string => `event: next\ndata: ${json}\n\n`;

/** The answer to an operation that has one result, as a stream. `json`: the result. */
export const toSingleEvent = (json: string): string =>
  HEARTBEAT + toEvent(json.trimEnd()) + COMPLETE;

/** The headers of a stream: neither compression nor a proxy may hold events back. */
export function typeEvents(reply: FastifyReply): FastifyReply {
  return reply
    .header('content-type', `${EVENT_STREAM}; charset=utf-8`)
    .header('x-accel-buffering', 'no');
}

/**
 * Sends the results of a subscription as server-sent events: the distinct-connections mode of GraphQL over SSE. The
 * handler of the package graphql-sse is not used, because it takes the results as fast as they come, whether the client
 * reads them or not, and cannot end a stream without `complete`.
 */
export function sendEvents(
  reply: FastifyReply,
  results: ResultStream,
  streams: Streams,
): FastifyReply {
  const events = new EventStream(results);
  const ended = streams.add(() => events.drain());
  events.once('close', ended);
  reply.raw.once('close', () => events.destroy());
  return typeEvents(reply).send(events);
}

class EventStream extends Readable {
  readonly #results: ResultStream;
  readonly #heartbeats: NodeJS.Timeout;
  #isTaking = false;
  #isOver = false;

  constructor(results: ResultStream) {
    super();
    this.#results = results;
    // The headers leave with the first bytes.
    this.push(HEARTBEAT);
    this.#heartbeats = setInterval(() => {
      if (this.readableLength === 0) this.#add(HEARTBEAT);
    }, HEARTBEAT_MS).unref();
    results.onOverrun(() => this.destroy());
  }

  /** Ends without `complete`, so that the client connects again. */
  drain(): void {
    this.#results.end('drained');
    this.#end();
  }

  override _read(): void {
    // A heartbeat makes Node read again, too.
    if (!this.#isTaking) void this.#take();
  }

  async #take(): Promise<void> {
    this.#isTaking = true;
    try {
      const { done, value } = await this.#results.next();
      if (done !== true) this.#add(toEvent(toJson(value)));
      else if (!this.#isOver) {
        this.#add(COMPLETE);
        this.#end();
      }
    } catch (error) {
      this.destroy(error as Error);
    } finally {
      this.#isTaking = false;
    }
  }

  #add(text: string): void {
    if (!this.#isOver) this.push(text);
  }

  #end(): void {
    if (this.#isOver) return;
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
