/** Bounds how long a client may take to read what is sent to it, because an answer takes memory until it is sent. */
export interface SlowClientBounds {
  /** All long answers that are being sent, together. Unit: bytes. */
  readonly maxSendingBytes: number;
  /** How long a client may take to read MIN_BYTES_PER_WINDOW, or to the end. Unit: milliseconds. */
  readonly windowMs?: number;
  /** Learns of each client that is disconnected, once. */
  readonly onSlow?: (client: SlowClient) => void;
}

/** A client that was disconnected. */
export interface SlowClient {
  readonly requestId: string;
  /** `time`: it read too little in its time; `room`: it was the slowest when a new answer needed room. */
  readonly reason: 'time' | 'room';
  /** How much of its answer it had taken. Unit: bytes. */
  readonly takenBytes: number;
  /**
   * The size of that answer, or of the messages of a socket that it had not taken whole; 0 if the answer takes no room of
   * its own, such as a file. Unit: bytes.
   */
  readonly bytes: number;
}

/** The connection of a client to which something is sent. */
export interface Recipient {
  readonly requestId: string;
  /** Whether it is closed already. */
  isGone(): boolean;
  disconnect(): void;
}

/** What one client has yet to read. */
export type Delivery = ReturnType<SlowClientGuard['begin']>;

export type SlowClientGuard = ReturnType<typeof createSlowClientGuard>;

const WINDOW_MS = 30_000;
/** 16 KiB a second. Unit: bytes. */
const MIN_BYTES_PER_WINDOW = 491_520;
/** How often the windows are checked. */
const CHECKS_PER_WINDOW = 6;

interface DeliveryEntry {
  readonly recipient: Recipient;
  size: number;
  taken: number;
  /** When the last part was taken, and when the window ends, on the clock of `performance.now()`. Unit: milliseconds. */
  lastTaken: number;
  windowEnds: number;
  takenInWindow: number;
}

/** Watches what is sent to all clients, and disconnects those that do not read. */
export function createSlowClientGuard({
  maxSendingBytes,
  windowMs = WINDOW_MS,
  onSlow,
}: SlowClientBounds) {
  const all = new Set<DeliveryEntry>();
  let total = 0;

  function remove(entry: DeliveryEntry): void {
    if (all.delete(entry)) total -= entry.size;
  }

  function disconnect(entry: DeliveryEntry, reason: SlowClient['reason']): void {
    remove(entry);
    const { recipient, taken: takenBytes, size: bytes } = entry;
    if (!recipient.isGone()) {
      onSlow?.({ requestId: recipient.requestId, reason, takenBytes, bytes });
    }
    recipient.disconnect();
  }

  /** Makes room for something new: disconnects first the client that has taken nothing for the longest time. */
  function makeRoom(size: number): void {
    while (total + size > maxSendingBytes) {
      const slowest = [...all].reduce(
        (slow: DeliveryEntry | null, one) =>
          one.size > 0 && (slow === null || one.lastTaken < slow.lastTaken) ? one : slow,
        null,
      );
      if (slowest === null) return;
      disconnect(slowest, 'room');
    }
  }

  const timer = setInterval(() => {
    const now = performance.now();
    for (const entry of all) {
      const isOver = now >= entry.windowEnds;
      const isSlow = isOver && entry.takenInWindow < MIN_BYTES_PER_WINDOW;
      if (isSlow || now >= entry.lastTaken + windowMs) disconnect(entry, 'time');
      if (!isOver) continue;
      entry.windowEnds = now + windowMs;
      entry.takenInWindow = 0;
    }
  }, windowMs / CHECKS_PER_WINDOW).unref();

  return {
    /** Notes that a client has something to read. */
    begin(recipient: Recipient) {
      const now = performance.now();
      const entry: DeliveryEntry = {
        recipient,
        size: 0,
        taken: 0,
        lastTaken: now,
        windowEnds: now + windowMs,
        takenInWindow: 0,
      };
      all.add(entry);
      return {
        /** This takes memory until all of it is sent. If there is too little room for it, disconnects others. */
        grow(more: number): void {
          makeRoom(more);
          if (!all.has(entry)) return;
          entry.size += more;
          total += more;
        },
        /** This much of what was taken needs no memory any more, although more is to be sent. */
        shrink(sent: number): void {
          if (!all.has(entry)) return;
          entry.size -= sent;
          entry.taken -= sent;
          total -= sent;
        },
        /** The connection has taken a part. */
        progressed(part: number): void {
          entry.lastTaken = performance.now();
          entry.taken += part;
          entry.takenInWindow += part;
        },
        /** Nothing of it waits any more. */
        end: (): void => remove(entry),
      };
    },
    stop: () => clearInterval(timer),
  };
}
