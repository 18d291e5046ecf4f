import { nextRound } from '../../callers/event-loop.ts';
import type { Lifetime } from '../../callers/time-limit.ts';
import type { SocketProtocol } from './protocol.ts';
import { BYTES_PER_MESSAGE } from './waiting.ts';

interface UnreadMessage {
  readonly data: Buffer;
  /** That of the operation which the message may begin. */
  readonly lifetime: Lifetime | null;
}

/** The socket that messages come from. */
interface MessageSource {
  /** False while the client leaves too many replies unread. */
  mayRead(): boolean;
  /** Stops receiving, because a message waits for its turn. */
  pause(): void;
  /** Reading has stopped: nothing is left, or the client must read first. */
  onStop(): void;
}

/** Of what came together, at most this many messages are handled in one round of the event loop: a read may hold thousands. */
const MAX_AT_ONCE = 16;

/** The messages of one socket that came and are not read: they wait for their turns, or until the client reads more replies. */
export class UnreadMessages {
  readonly #protocol: SocketProtocol;
  readonly #source: MessageSource;
  /** In the order in which they came. */
  #messages: UnreadMessage[] = [];
  #dataBytes = 0;
  /** Messages so far. */
  #readSoFar = 0;
  #isReading = false;

  constructor(protocol: SocketProtocol, source: MessageSource) {
    this.#protocol = protocol;
    this.#source = source;
  }

  /** What they take in memory. */
  get bytes(): number {
    return this.#dataBytes + BYTES_PER_MESSAGE * this.#messages.length;
  }

  add(data: Buffer, lifetime: Lifetime | null): void {
    this.#messages.push({ data, lifetime });
    this.#dataBytes += data.length;
    void this.read();
  }

  /** Reads them in order, and no further than the socket may. */
  async read(): Promise<void> {
    if (this.#isReading || !this.#source.mayRead()) return;
    this.#isReading = true;
    try {
      while (this.#source.mayRead()) {
        const [next] = this.#messages;
        if (next === undefined) break;
        const { data, lifetime } = next;
        const isPutOff = lifetime !== null && this.#protocol.putOff(data, lifetime);
        this.#readSoFar += 1;
        const turn =
          (isPutOff ? undefined : this.#protocol.turnFor(lifetime)) ??
          (this.#readSoFar % MAX_AT_ONCE === 0 ? nextRound() : undefined);
        if (turn !== undefined) {
          this.#source.pause();
          await turn;
        }
        // All of them may have been dropped meanwhile, and others may have come.
        if (this.#messages[0] !== next) continue;
        this.#messages.shift();
        this.#dataBytes -= data.length;
        if (!isPutOff) this.#protocol.handle(data, lifetime);
      }
    } finally {
      this.#isReading = false;
      this.#source.onStop();
    }
  }

  /** Drops them: the client sends them again, or is gone. */
  clear(): void {
    for (const { lifetime } of this.#messages) lifetime?.stopDeadline();
    this.#messages = [];
    this.#dataBytes = 0;
  }
}
