import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/** Disconnects clients that do not read their answers, because an answer takes memory until it is sent. */
export interface SendingBounds {
  /** All long answers that are being sent, together. Unit: bytes. */
  readonly maxSendingBytes: number;
  /** How long a client may take to read MIN_BYTES_PER_WINDOW, or to the end. Unit: milliseconds. */
  readonly windowMs?: number;
  /** Called once for each client that is disconnected. */
  readonly onSlow?: (client: SlowClient) => void;
}

/** A client that was disconnected. */
export interface SlowClient {
  readonly requestId: string;
  /** `time`: it read too little in its time; `room`: it was the slowest when a new answer needed room. */
  readonly reason: 'time' | 'room';
  /** How much it had taken, and the length of its answer; 0 for an answer that takes no room of its own. Unit: bytes. */
  readonly takenBytes: number;
  readonly bytes: number;
}

const WINDOW_MS = 30_000;
/** 16 KiB a second. Unit: bytes. */
const MIN_BYTES_PER_WINDOW = 491_520;
/** How often the windows are checked. */
const CHECKS_PER_WINDOW = 6;
/** Longer answers are handed to the connection in parts of this size, as the client reads them. Unit: bytes. */
const PART_BYTES = 65_536;

/** An answer on its way. */
interface Sending {
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly size: number;
  taken: number;
  /** When the last part was taken, and when the window ends, on the clock of `performance.now()`. Unit: milliseconds. */
  lastTaken: number;
  windowEnds: number;
  takenInWindow: number;
}

/** Bounds how long answers may take to be sent, and how much may wait to be sent. */
export function boundSending(
  app: FastifyInstance,
  { maxSendingBytes, windowMs = WINDOW_MS, onSlow }: SendingBounds,
): void {
  const all = new Set<Sending>();
  let total = 0;

  function remove(sending: Sending): void {
    if (all.delete(sending)) total -= sending.size;
  }

  function sendAway(sending: Sending, reason: SlowClient['reason']): void {
    remove(sending);
    const { response, requestId, taken: takenBytes, size: bytes } = sending;
    // A response that waits behind another one of its connection has no socket yet.
    const { socket } = response.req;
    if (!socket.destroyed) onSlow?.({ requestId, reason, takenBytes, bytes });
    socket.destroy();
    response.destroy();
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
      sendAway(slowest, 'room');
    }
  }

  function watch(response: ServerResponse, requestId: string, size: number): Sending {
    const now = performance.now();
    const sending: Sending = {
      response,
      requestId,
      size,
      taken: 0,
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
      if (isSlow || now >= sending.lastTaken + windowMs) sendAway(sending, 'time');
      if (!isOver) continue;
      sending.windowEnds = now + windowMs;
      sending.takenInWindow = 0;
    }
  }, windowMs / CHECKS_PER_WINDOW).unref();
  app.addHook('onClose', async () => clearInterval(timer));

  // With `done`, because an async hook would cost more than its work here.
  app.addHook('onSend', ({ id: requestId }, { raw: response }, payload, done) => {
    if (Buffer.isBuffer(payload)) {
      // A file: all its answers share these bytes, so they take no room of their own.
      done(null, inParts(payload, watch(response, requestId, 0)));
      return;
    }
    if (typeof payload !== 'string') {
      done(null, payload);
      return;
    }
    if (payload.length > PART_BYTES) {
      // Bytes are freed sooner than text, whose collection waits until the heap has grown by several answers.
      const bytes = Buffer.from(payload);
      makeRoom(bytes.length);
      done(null, inParts(bytes, watch(response, requestId, bytes.length)));
      return;
    }
    done(null, payload);
    // Nearly always the connection has taken a short answer by now.
    const isTaken = response.writableEnded && response.writableLength === 0;
    if (!isTaken && !response.destroyed) watch(response, requestId, 0);
  });
}

/** The answer in parts, each handed on when the connection takes it. */
function inParts(bytes: Buffer, sending: Sending): Readable {
  return new Readable({
    highWaterMark: PART_BYTES,
    read() {
      const part = bytes.subarray(sending.taken, sending.taken + PART_BYTES);
      sending.lastTaken = performance.now();
      sending.taken += part.length;
      sending.takenInWindow += part.length;
      this.push(part.length > 0 ? part : null);
    },
  });
}
