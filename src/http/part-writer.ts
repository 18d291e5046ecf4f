import { PART_BYTES } from './limits.ts';
import type { Delivery, Recipient, SlowClientGuard } from './slow-clients.ts';

/** Hands a part of a message to the connection. `taken` runs when that has taken it, and never if it is closed. */
export type SendPart = (
  part: string | Buffer,
  isLast: boolean,
  taken: () => void,
) => void;

interface QueuedMessage {
  /** Long texts are sent as bytes, in parts. */
  readonly data: string | Buffer;
  /** What it takes of the room for all that waits. */
  readonly size: number;
  readonly taken: () => void;
}

/**
 * Sends the messages of one socket or stream, or one long answer: one after the other, each when the connection has taken the one
 * before. A long one goes in parts. What waits counts among all answers that wait to be sent.
 */
export class PartWriter {
  /** Bytes, or characters of short messages, that the connection has taken. */
  takenBytes = 0;
  readonly #sendPart: SendPart;
  readonly #recipient: Recipient;
  readonly #slowClients: SlowClientGuard;
  #waiting: QueuedMessage[] = [];
  /** What waits; null if nothing does. */
  #delivery: Delivery | null = null;

  constructor(sendPart: SendPart, recipient: Recipient, slowClients: SlowClientGuard) {
    this.#sendPart = sendPart;
    this.#recipient = recipient;
    this.#slowClients = slowClients;
  }

  /** Whether nothing waits. */
  get isIdle(): boolean {
    return this.#delivery === null;
  }

  /** Resolves when the connection has taken the text, or when it is closed later. */
  send(text: string): Promise<void> {
    // Bytes are freed sooner than text, whose collection waits until the heap has grown by several answers.
    const data = text.length > PART_BYTES ? Buffer.from(text) : text;
    return this.#send(data, data.length);
  }

  /** The same for a file: all that it is sent to share these bytes, so they take no room of their own. */
  sendFile(bytes: Buffer): Promise<void> {
    return this.#send(bytes, 0);
  }

  #send(data: string | Buffer, size: number): Promise<void> {
    return new Promise((taken) => {
      const isFirst = this.#waiting.push({ data, size, taken }) === 1;
      this.#delivery ??= this.#slowClients.begin(this.#recipient);
      if (size > 0) this.#delivery.grow(size);
      if (isFirst) this.#sendNext();
    });
  }

  /** Drops what waits. */
  close(): void {
    for (const { taken } of this.#waiting.splice(0)) taken();
    this.#delivery?.end();
    this.#delivery = null;
  }

  #sendNext(): void {
    const [message] = this.#waiting;
    if (message === undefined) this.close();
    else this.#sendFrom(message, 0);
  }

  #sendFrom(message: QueuedMessage, start: number): void {
    const { data } = message;
    const end = typeof data === 'string' ? data.length : start + PART_BYTES;
    const part = typeof data === 'string' ? data : data.subarray(start, end);
    const fin = end >= data.length;
    this.#sendPart(part, fin, () => {
      this.takenBytes += part.length;
      this.#delivery?.progressed(part.length);
      if (!fin) {
        this.#sendFrom(message, end);
        return;
      }
      this.#waiting.shift();
      this.#delivery?.shrink(message.size);
      message.taken();
      this.#sendNext();
    });
  }
}
