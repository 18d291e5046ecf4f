import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/** Sends away clients that do not read their answers, because an answer takes memory until it is sent. */
export interface SendingBounds {
  /** All answers that are being sent, together. Unit: characters. */
  readonly maxSendingBytes: number;
  /** How long a client may take to read what `minBytes` says, or to the end. Unit: milliseconds. */
  readonly windowMs?: number;
}

const WINDOW_MS = 30_000;
/** 16 KiB a second. Unit: bytes. */
const MIN_BYTES_PER_WINDOW = 491_520;
/** How often the windows are checked. */
const CHECKS_PER_WINDOW = 6;
/** Longer answers are handed to the connection in parts of this size, as the client reads them. Unit: characters. */
const PART_LENGTH = 65_536;

/** An answer on its way. */
interface Sending {
  readonly response: ServerResponse;
  readonly size: number;
  /** When the last part was taken, and when the window ends, on the clock of `performance.now()`. Unit: milliseconds. */
  lastTaken: number;
  windowEnds: number;
  takenInWindow: number;
}

/** Bounds how long answers may take to be sent, and how much may wait to be sent. */
export function boundSending(
  app: FastifyInstance,
  { maxSendingBytes, windowMs = WINDOW_MS }: SendingBounds,
): void {
  const all = new Set<Sending>();
  let total = 0;

  function remove(sending: Sending): void {
    if (all.delete(sending)) total -= sending.size;
  }

  function sendAway(sending: Sending): void {
    remove(sending);
    // A response that waits behind another one of its connection has no socket yet.
    sending.response.req.socket.destroy();
    sending.response.destroy();
  }

  /** Makes room for a new answer: disconnects first the client that has taken nothing for the longest time. */
  function makeRoom(size: number): void {
    while (total + size > maxSendingBytes) {
      const slowest = [...all].reduce(
        (slow: Sending | null, one) =>
          one.size > 0 && (slow === null || one.lastTaken < slow.lastTaken) ? one : slow,
        null,
      );
      if (slowest === null) return;
      sendAway(slowest);
    }
  }

  function watch(response: ServerResponse, size: number): Sending {
    const now = performance.now();
    const sending: Sending = {
      response,
      size,
      lastTaken: now,
      windowEnds: now + windowMs,
      takenInWindow: 0,
    };
    all.add(sending);
    total += size;
    response.once('close', () => remove(sending));
    return sending;
  }

  const timer = setInterval(() => {
    const now = performance.now();
    for (const sending of all) {
      const isOver = now >= sending.windowEnds;
      const isSlow = isOver && sending.takenInWindow < MIN_BYTES_PER_WINDOW;
      if (isSlow || now >= sending.lastTaken + windowMs) sendAway(sending);
      if (!isOver) continue;
      sending.windowEnds = now + windowMs;
      sending.takenInWindow = 0;
    }
  }, windowMs / CHECKS_PER_WINDOW).unref();
  app.addHook('onClose', async () => clearInterval(timer));

  // With `done`, because an async hook would cost more than what it does here.
  app.addHook('onSend', (_request, { raw: response }, payload, done) => {
    if (typeof payload !== 'string') {
      done(null, payload);
      return;
    }
    if (payload.length > PART_LENGTH) {
      makeRoom(payload.length);
      done(null, inParts(payload, watch(response, payload.length)));
      return;
    }
    done(null, payload);
    // Nearly always the connection has taken a short answer by now.
    const isTaken = response.writableEnded && response.writableLength === 0;
    if (!isTaken && !response.destroyed) watch(response, 0);
  });
}

/** The text in parts, each made when the connection takes it. */
function inParts(text: string, sending: Sending): Readable {
  let next = 0;
  return new Readable({
    highWaterMark: PART_LENGTH,
    read() {
      const begin = next;
      next = endOfPart(text, begin);
      sending.lastTaken = performance.now();
      sending.takenInWindow += next - begin;
      this.push(begin < text.length ? Buffer.from(text.slice(begin, next)) : null);
    },
  });
}

/** Does not split a surrogate pair. */
function endOfPart(text: string, begin: number): number {
  const end = Math.min(begin + PART_LENGTH, text.length);
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff && end < text.length ? end - 1 : end;
}
