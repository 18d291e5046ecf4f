import type { CallerId } from '../callers/caller-id.ts';
import { ByteQuota, type QuotaBounds, SharedBytes } from '../callers/shares.ts';
import type { Body } from './body.ts';
import {
  type Call,
  OverloadedError,
  RestDecodeError,
  TooManyBytesError,
} from './errors.ts';
import { type FormRoom, newRoom } from './form.ts';
import { BYTES_PER_VALUE, JsonWeight, memoryOfLists } from './json-weight.ts';

/**
 * Bounds of the bytes that operations exchange and hold. One caller's may hold all but the room of one answer; `inAll` also
 * bounds what waits to be sent to clients. All derive from MAX_RESPONSE_BYTES. Unit: bytes.
 */
export interface ByteBounds extends QuotaBounds {
  /** One answer: of the service, or to a client. */
  readonly oneAnswer: number;
  /** All answers of the service to one operation. */
  readonly oneOperation: number;
}

/** A lower MAX_RESPONSE_BYTES lowers no other bound: the others are computed from this much at least. Unit: bytes. */
const LEAST_ANSWER_BYTES = 16_777_216;

export function toByteBounds(maxResponseBytes: number): ByteBounds {
  const oneAnswer = Math.max(maxResponseBytes, LEAST_ANSWER_BYTES);
  const [oneOperation, oneCaller, inAll] = [2 * oneAnswer, 3 * oneAnswer, 4 * oneAnswer];
  return { oneAnswer, oneOperation, oneCaller, inAll };
}

/** Most operations read less. Up to here nothing is weighed, and nothing is refused for what others hold. Unit: bytes. */
export const SMALL_BYTES = 262_144;

export type Meters = ReturnType<typeof createMeters>;

/** What operations hold, and the requests that begin them. All meters share the bounds of what they hold together. */
export function createMeters(bounds: ByteBounds) {
  const quota = new ByteQuota(bounds);
  const documents = new SharedBytes(quota);
  return {
    /** Opens the meter of an operation. */
    open: (caller: CallerId) => new Meter(caller, bounds, quota, documents),
    /** Counts a request as held, and returns the function to call when it is not any more; null if there is no room. */
    holdRequest({ share }: CallerId, bytes: number): (() => void) | null {
      const more = bytes - SMALL_BYTES;
      if (more <= 0) return nothing;
      if (!quota.reserve(share, more)) return null;
      return () => quota.release(share, more);
    },
  };
}

/**
 * Counts the bytes that one operation exchanges with the service. Not an object literal with getters: V8 would make a
 * hidden class for each, which keeps what its getters see until a full collection.
 */
export class Meter {
  /** How long the forms of this operation may still become. */
  readonly forms: FormRoom = newRoom();
  readonly caller: CallerId;
  readonly #bounds: ByteBounds;
  readonly #quota: ByteQuota;
  readonly #documents: SharedBytes;
  /** The document that this operation holds; null if that takes little, or nothing. */
  #document: object | null = null;
  #received = 0;
  #taken = 0;
  #open = 0;
  #isClosed = false;

  constructor(
    caller: CallerId,
    bounds: ByteBounds,
    quota: ByteQuota,
    documents: SharedBytes,
  ) {
    this.caller = caller;
    this.#bounds = bounds;
    this.#quota = quota;
    this.#documents = documents;
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
  begin(call: Call): ReceivedAnswer {
    const { oneAnswer, oneOperation } = this.#bounds;
    if (this.isFull) throw tooMuchRead(call, oneOperation, false);
    this.#open += 1;
    return new ReceivedAnswer(call, this, oneAnswer);
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
    if (!this.#quota.reserve(this.caller.share, more))
      throw tooMuchHeld(call, this.#bounds, true);
    this.#taken += more;
  }

  /** Counts the document of this operation until the operation is over; false if there is no room. Operations may share it. */
  holdDocument(document: object, bytes: number): boolean {
    const more = bytes - SMALL_BYTES;
    if (more <= 0) return true;
    if (!this.#documents.reserve(document, this.caller.share, more)) return false;
    this.#document = document;
    return true;
  }

  /** Counts a form until it is sent, and returns the function to call then; throws OverloadedError. */
  sendForm(call: Call, bytes: number): () => void {
    if (bytes <= SMALL_BYTES) return nothing;
    if (!this.#quota.reserve(this.caller.share, bytes))
      throw tooMuchHeld(call, this.#bounds, false);
    return () => this.#quota.release(this.caller.share, bytes);
  }

  /** The operation is over: others may have its room. */
  close(): void {
    this.#isClosed = true;
    this.#release();
  }

  #release(): void {
    if (!this.#isClosed || this.#open > 0) return;
    const { share } = this.caller;
    this.#quota.release(share, this.#taken);
    this.#taken = 0;
    if (this.#document !== null) this.#documents.release(this.#document, share);
    this.#document = null;
  }
}

/** Counts one answer of the service to the operation of a meter, as it arrives. */
export class ReceivedAnswer {
  readonly #call: Call;
  readonly #meter: Meter;
  readonly #most: number;
  /** Null while the operation has read little. */
  #weight: JsonWeight | null = null;
  #bytes = 0;
  #counted = 0;

  constructor(call: Call, meter: Meter, most: number) {
    this.#call = call;
    this.#meter = meter;
    this.#most = most;
  }

  /** Throws if this part exceeds the limit. `before`: the earlier parts, which are weighed as soon as one part is. */
  receive(part: Uint8Array, before: Pick<Body, 'parts'>): void {
    this.#bytes += part.length;
    const counted = this.#counted;
    this.#counted = this.#bytes;
    if (this.#meter.received + part.length > SMALL_BYTES) this.#weigh(part, before);
    this.#meter.join(this.#call, this.#counted - counted);
  }

  /** The answer is whole: counts what its text takes when it is parsed. Throws if that is more than may be read. */
  complete(text: string): void {
    // Short answers are not weighed as they arrive. But nested lists take thirty times their bytes, and a thousand operations
    // may each hold some.
    if (this.#weight !== null) return;
    const more = memoryOfLists(text) - this.#counted;
    if (more > 0) this.#meter.join(this.#call, more);
  }

  /** The answer is counted, or was given up. */
  end(): void {
    this.#meter.end();
  }

  #weigh(part: Uint8Array, before: Pick<Body, 'parts'>): void {
    if (this.#weight === null) {
      this.#weight = new JsonWeight();
      for (const earlier of before.parts()) this.#weight.add(earlier);
    }
    this.#weight.add(part);
    const { inMemory, toParse } = this.#weight;
    if (toParse > this.#most && toParse > this.#bytes)
      throw tooManyValues(this.#call, this.#most);
    this.#counted = Math.max(this.#bytes, inMemory);
  }
}

const nothing = () => {};

const tooMuchRead = (call: Call, limit: number, wasSent: boolean) =>
  new TooManyBytesError(
    call,
    `${wasSent ? 'was given up' : 'was not made'}: this operation has read its limit of ${limit} bytes. Ask for fewer items, or in several operations.`,
    wasSent,
  );

const tooManyValues = (call: Call, limit: number) =>
  new RestDecodeError(
    call,
    `answered more than ${Math.floor(limit / BYTES_PER_VALUE)} values, or fewer with keys and texts`,
  );

const tooMuchHeld = (call: Call, bounds: ByteBounds, wasSent: boolean) =>
  new OverloadedError(
    call,
    `${wasSent ? 'was given up' : 'not made'}: the operations that run hold too many bytes already: all may hold ${bounds.inAll}, those of one caller ${bounds.oneCaller}`,
    { wasSent },
  );
