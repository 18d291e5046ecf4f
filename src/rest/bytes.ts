import {
  type Call,
  OverloadedError,
  RestDecodeError,
  TooManyBytesError,
} from './errors.ts';
import { type FormRoom, newRoom } from './form.ts';
import { Holdings } from './holdings.ts';

/** How many bytes may be exchanged at most. All follow from MAX_RESPONSE_BYTES. Unit: bytes. */
export interface ByteBounds {
  /** One answer: of the service, or to a client. */
  readonly oneAnswer: number;
  /** All answers of the service to one operation. */
  readonly oneOperation: number;
  /** What all running operations hold together; also what waits to be sent to clients. */
  readonly inAll: number;
}

/** A lower MAX_RESPONSE_BYTES lowers no other bound: the others are computed from this much at least. Unit: bytes. */
const LEAST_ANSWER_BYTES = 16_777_216;

export function toByteBounds(maxResponseBytes: number): ByteBounds {
  const oneAnswer = Math.max(maxResponseBytes, LEAST_ANSWER_BYTES);
  return { oneAnswer, oneOperation: 2 * oneAnswer, inAll: 4 * oneAnswer };
}

/** Most operations read less. Up to here nothing is weighed, and nothing is refused for what others hold. Unit: bytes. */
export const SMALL_BYTES = 262_144;
/** A parsed value takes at least this much memory, and as long to parse as this much text. Unit: bytes. */
export const BYTES_PER_VALUE = 32;
/** The place of a value in its object. Keys take next to nothing: the objects of a list share them. Unit: bytes. */
const BYTES_PER_KEY = 8;
/** When a refused client should try again: other operations have ended by then. Unit: seconds. */
const RETRY_AFTER_SECONDS = 1;

/** Counts one answer of the service as it arrives. */
export interface AnswerMeter {
  /** Throws if this part is more than may be read. */
  receive(part: Uint8Array): void;
  /** The answer is complete, or was given up. */
  end(): void;
}

/**
 * Returns a function that opens the meter of an operation of one caller. All meters share the bound of what they hold
 * together, and those of one caller leave room for one more answer.
 */
export function createMeters(bounds: ByteBounds): (token: string | null) => Meter {
  const { oneAnswer, inAll } = bounds;
  const holdings = new Holdings({ inAll, oneCaller: inAll - oneAnswer });
  return (token) => new Meter(token, bounds, holdings);
}

/**
 * Counts the bytes that one operation exchanges with the service. Not an object literal with getters: V8 would make a
 * hidden class for each, which keeps what its getters see until a full collection.
 */
export class Meter {
  /** How long the forms of this operation may still become. */
  readonly forms: FormRoom = newRoom();
  readonly #token: string | null;
  readonly #bounds: ByteBounds;
  readonly #holdings: Holdings;
  #received = 0;
  #taken = 0;
  #open = 0;
  #isClosed = false;

  constructor(token: string | null, bounds: ByteBounds, holdings: Holdings) {
    this.#token = token;
    this.#bounds = bounds;
    this.#holdings = holdings;
  }

  /** Unit: bytes. */
  get received(): number {
    return this.#received;
  }

  /** Whether this operation may read no more. */
  get isFull(): boolean {
    return this.#received >= this.#bounds.oneOperation;
  }

  /** Begins an answer; throws TooManyBytesError if this operation may read no more. */
  begin(call: Call): AnswerMeter {
    const { oneAnswer, oneOperation } = this.#bounds;
    if (this.isFull) throw tooMuchRead(call, oneOperation, false);
    this.#open += 1;
    return new Answer(call, this, oneAnswer);
  }

  /** The answer is complete, or was given up. */
  end(): void {
    this.#open -= 1;
    this.#release();
  }

  /** Counts an answer that another operation has received; throws as `receive` does. */
  join(call: Call, bytes: number): void {
    const { oneOperation } = this.#bounds;
    this.#received += bytes;
    if (this.#received > oneOperation) throw tooMuchRead(call, oneOperation, true);
    const more = Math.min(bytes, this.#received - SMALL_BYTES);
    const isGone = this.#isClosed && this.#open === 0;
    if (more <= 0 || isGone) return;
    if (!this.#holdings.take(this.#token, more))
      throw tooMuchHeld(call, this.#bounds, true);
    this.#taken += more;
  }

  /** Counts a form until it is sent, and returns the function to call then; throws OverloadedError. */
  sendForm(call: Call, bytes: number): () => void {
    if (bytes <= SMALL_BYTES) return nothing;
    if (!this.#holdings.take(this.#token, bytes))
      throw tooMuchHeld(call, this.#bounds, false);
    return () => this.#holdings.letGo(this.#token, bytes);
  }

  /** The operation is over: others may have its room. */
  close(): void {
    this.#isClosed = true;
    this.#release();
  }

  #release(): void {
    if (!this.#isClosed || this.#open > 0) return;
    this.#holdings.letGo(this.#token, this.#taken);
    this.#taken = 0;
  }
}

/** An answer of the service to the operation of a meter. */
class Answer implements AnswerMeter {
  readonly #call: Call;
  readonly #meter: Meter;
  readonly #most: number;
  #bytes = 0;
  #bytesOfValues = 0;
  #weight = 0;

  constructor(call: Call, meter: Meter, most: number) {
    this.#call = call;
    this.#meter = meter;
    this.#most = most;
  }

  receive(part: Uint8Array): void {
    this.#bytes += part.length;
    if (this.#meter.received + part.length > SMALL_BYTES)
      this.#bytesOfValues += weighValues(part);
    const before = this.#weight;
    this.#weight = Math.max(this.#bytes, this.#bytesOfValues);
    if (this.#weight > this.#most && this.#weight > this.#bytes)
      throw tooManyValues(this.#call, this.#most);
    this.#meter.join(this.#call, this.#weight - before);
  }

  end(): void {
    this.#meter.end();
  }
}

const nothing = () => {};

/** For the probe, which reads one answer after the other: it counts nothing. */
export const UNMETERED: Pick<Meter, 'begin'> = {
  begin: () => ({ receive: nothing, end: nothing }),
};

/** What each mark of JSON counts as: a value follows `[`, `{` and `,`, and a key precedes `:`. Unit: bytes. */
const BYTES_AFTER = new Uint8Array(256);
for (const mark of '[{,') BYTES_AFTER[mark.charCodeAt(0)] = BYTES_PER_VALUE;
BYTES_AFTER[':'.charCodeAt(0)] = BYTES_PER_KEY;

/** Estimates the memory of the values and keys in a part of a JSON text. Marks inside its strings count too. Unit: bytes. */
function weighValues(part: Uint8Array): number {
  let sum = 0;
  // Three times as fast as an iterator.
  for (let index = 0; index < part.length; index += 1) {
    sum += BYTES_AFTER[part[index] as number] as number;
  }
  return sum;
}

const tooMuchRead = (call: Call, limit: number, wasSent: boolean) =>
  new TooManyBytesError(
    call,
    `is one too many: an operation may read ${limit} bytes of the service's answers. Ask for fewer items, or in several operations.`,
    wasSent,
  );

const tooManyValues = (call: Call, limit: number) =>
  new RestDecodeError(
    call,
    `answered more than ${Math.floor(limit / BYTES_PER_VALUE)} values`,
  );

const tooMuchHeld = (call: Call, bounds: ByteBounds, wasSent: boolean) =>
  new OverloadedError(
    call,
    `${wasSent ? 'was given up' : 'not made'}: the operations that run hold too many bytes already: all may hold ${bounds.inAll}, those of one caller ${bounds.inAll - bounds.oneAnswer}`,
    RETRY_AFTER_SECONDS,
    wasSent,
  );
