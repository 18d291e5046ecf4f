import type { AbortListener } from '../../callers/abort.ts';
import type { Lifetime } from '../../callers/time-limit.ts';
import type { Incoming, IncomingAccount, Sender } from '../incoming.ts';
import { MAX_BODY_BYTES } from '../limits.ts';

/** The memory that a message takes beside its bytes. Unit: bytes. */
export const BYTES_PER_MESSAGE = 512;
/** All waiting messages of one socket; one is always taken, whatever its length. Unit: bytes. */
const MAX_WAITING_BYTES = MAX_BODY_BYTES;

/** As a listener, it is handled when the time of its operation is up. */
interface WaitingMessage extends AbortListener {
  readonly id: string;
  readonly data: Buffer;
  readonly held: IncomingAccount;
  readonly lifetime: Lifetime;
}

/** What begins the operations of a socket. */
export interface Beginner extends Sender {
  /** Whether one more may run. */
  readonly hasRoom: boolean;
  /** Yields before a message is parsed, so that a burst cannot block the loop. Undefined: no wait. */
  turnFor(lifetime: Lifetime): Promise<unknown> | undefined;
  handle(data: Buffer, lifetime: Lifetime): void;
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
  add(id: string, data: Buffer, lifetime: Lifetime, refused: () => void): boolean {
    const bytes = BYTES_PER_MESSAGE + data.length;
    if (this.size > 0 && this.#bytes + bytes > MAX_WAITING_BYTES) return false;
    const held = this.#incoming.open(this.#beginner, () => {
      this.drop(id);
      refused();
    });
    if (!held.hold(bytes)) return false;
    const own = Buffer.allocUnsafeSlow(data.length);
    // The message may be a small part of what it came with.
    data.copy(own);
    const message: WaitingMessage = {
      id,
      data: own,
      held,
      lifetime,
      handleEvent: () => this.#handle(message),
    };
    lifetime.addEventListener('abort', message);
    this.#waiting.set(id, message);
    this.#bytes += bytes;
    return true;
  }

  drop(id: string): void {
    const message = this.#waiting.get(id);
    if (message === undefined) return;
    message.lifetime.stopDeadline();
    this.#take(message);
  }

  #take(message: WaitingMessage): void {
    this.#waiting.delete(message.id);
    this.#bytes -= BYTES_PER_MESSAGE + message.data.length;
    message.held.end();
    message.lifetime.removeEventListener('abort', message);
  }

  #handle(message: WaitingMessage): void {
    this.#take(message);
    this.#beginner.handle(message.data, message.lifetime);
  }

  /** Begins them as far as there is room. */
  async begin(): Promise<void> {
    if (this.#isBeginning) return;
    this.#isBeginning = true;
    try {
      for (;;) {
        const [next] = this.#waiting.values();
        if (next === undefined || !this.#beginner.hasRoom) break;
        await this.#beginner.turnFor(next.lifetime);
        // It may have been completed, dropped or handled meanwhile.
        if (this.#waiting.get(next.id) === next) this.#handle(next);
      }
    } finally {
      this.#isBeginning = false;
    }
  }

  clear(): void {
    for (const id of [...this.#waiting.keys()]) this.drop(id);
  }
}
