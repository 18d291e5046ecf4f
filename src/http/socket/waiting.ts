import type { Held, Incoming, Sender } from '../incoming.ts';
import { MAX_BODY_BYTES } from '../limits.ts';

/** The memory that a message takes beside its bytes. Unit: bytes. */
const BYTES_PER_MESSAGE = 512;
/** All waiting messages of one socket; one is always taken, whatever its length. Unit: bytes. */
const MAX_WAITING_BYTES = MAX_BODY_BYTES;

interface WaitingMessage {
  readonly id: string;
  readonly data: Buffer;
  readonly held: Held;
}

/** What begins the operations of a socket. */
export interface Beginner extends Sender {
  /** Whether one more may run. */
  readonly hasRoom: boolean;
  /** Yields before a message is parsed. Undefined: no wait. */
  turnFor(data: Buffer): Promise<void> | undefined;
  handle(data: Buffer): void;
}

/** The messages of one socket that begin operations and wait until others have ended, by the ids of their operations. */
export class WaitingMessages {
  readonly #incoming: Incoming;
  readonly #beginner: Beginner;
  /** In the order in which they came. */
  readonly #waiting = new Map<string, WaitingMessage>();
  #bytes = 0;
  /** One of them has its turn. */
  #isBeginning = false;

  constructor(incoming: Incoming, beginner: Beginner) {
    this.#incoming = incoming;
    this.#beginner = beginner;
  }

  get size(): number {
    return this.#waiting.size;
  }

  has(id: string): boolean {
    return this.#waiting.has(id);
  }

  /** Returns false if there is no room. `refused` runs if its room is needed for others later. */
  add(id: string, data: Buffer, refused: () => void): boolean {
    const bytes = BYTES_PER_MESSAGE + data.length;
    if (this.size > 0 && this.#bytes + bytes > MAX_WAITING_BYTES) return false;
    const held = this.#incoming.open(this.#beginner, () => {
      this.delete(id);
      refused();
    });
    if (!held.hold(bytes)) return false;
    const own = Buffer.allocUnsafeSlow(data.length);
    // The message may be a small part of what it came with.
    data.copy(own);
    this.#waiting.set(id, { id, data: own, held });
    this.#bytes += bytes;
    return true;
  }

  delete(id: string): void {
    const message = this.#waiting.get(id);
    if (message === undefined) return;
    this.#waiting.delete(id);
    this.#bytes -= BYTES_PER_MESSAGE + message.data.length;
    message.held.end();
  }

  /** Begins them as far as there is room. */
  async begin(): Promise<void> {
    if (this.#isBeginning) return;
    this.#isBeginning = true;
    for (;;) {
      const [next] = this.#waiting.values();
      if (next === undefined || !this.#beginner.hasRoom) break;
      await this.#beginner.turnFor(next.data);
      // It may have been completed, or dropped, meanwhile.
      if (this.#waiting.get(next.id) !== next) continue;
      this.delete(next.id);
      this.#beginner.handle(next.data);
    }
    this.#isBeginning = false;
  }

  clear(): void {
    for (const id of [...this.#waiting.keys()]) this.delete(id);
  }
}
