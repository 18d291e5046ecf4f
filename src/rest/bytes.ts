import {
  type Call,
  OverloadedError,
  RestDecodeError,
  TooManyBytesError,
} from './errors.ts';
import { type FormRoom, newRoom } from './form.ts';

/** How many bytes may be exchanged at most. All follow from MAX_RESPONSE_BYTES. Unit: bytes. */
export interface ByteBounds {
  /** One answer: of the service, or to a client. */
  readonly oneAnswer: number;
  /** All answers of the service to one operation. */
  readonly oneOperation: number;
  /** What all running operations hold together; also what waits to be sent to clients. */
  readonly inAll: number;
}

/** A lower MAX_RESPONSE_BYTES bounds one answer, and says nothing about operations of many calls. Unit: bytes. */
const LEAST_ANSWER_BYTES = 16_777_216;

export function toByteBounds(maxResponseBytes: number): ByteBounds {
  const oneAnswer = Math.max(maxResponseBytes, LEAST_ANSWER_BYTES);
  return { oneAnswer, oneOperation: 2 * oneAnswer, inAll: 4 * oneAnswer };
}

/** Most operations read less. Up to here nothing is weighed, and nothing is refused for what others hold. Unit: bytes. */
export const SMALL_BYTES = 262_144;
/** A parsed value takes at least this much memory, and as long to parse as this much text. Unit: bytes. */
const BYTES_PER_VALUE = 24;
/** When to come back: other operations are over by then. Unit: seconds. */
const RETRY_AFTER_SECONDS = 1;

/** Counts one answer of the service as it arrives. */
export interface AnswerMeter {
  /** Throws if this part is more than may be read. */
  receive(part: Uint8Array): void;
  /** The answer is complete, or was given up. */
  end(): void;
}

/** Counts the bytes that one operation exchanges with the service. */
export interface Meter {
  /** Begins an answer; throws TooManyBytesError if this operation may read no more. */
  begin(call: Call): AnswerMeter;
  /** Counts an answer that another operation has received; throws as `receive` does. */
  join(call: Call, bytes: number): void;
  /** How long the forms of this operation may still become. */
  readonly forms: FormRoom;
  /** Counts a form until it is sent, and returns the function to call then; throws OverloadedError. */
  sendForm(call: Call, bytes: number): () => void;
  /** Unit: bytes. */
  readonly received: number;
  /** Whether this operation may read no more. */
  readonly isFull: boolean;
  /** The operation is over: others may have its room. */
  close(): void;
}

/**
 * Returns a function that opens the meter of an operation of one caller. All meters share the bound of what they hold
 * together, and those of one caller leave room for one more answer.
 */
export function createMeters({ oneAnswer, oneOperation, inAll }: ByteBounds) {
  const oneCaller = inAll - oneAnswer;
  let held = 0;
  /** Only of callers that hold something. */
  const heldBy = new Map<string | null, number>();

  return (token: string | null): Meter => {
    const forms = newRoom();
    let received = 0;
    let taken = 0;
    let open = 0;
    let isClosed = false;

    function hold(call: Call, bytes: number, wasSent: boolean): void {
      const own = heldBy.get(token) ?? 0;
      if (held + bytes > inAll || own + bytes > oneCaller) {
        throw tooMuchHeld(call, wasSent);
      }
      held += bytes;
      heldBy.set(token, own + bytes);
    }

    function letGo(bytes: number): void {
      if (bytes === 0) return;
      held -= bytes;
      const own = (heldBy.get(token) ?? 0) - bytes;
      if (own > 0) heldBy.set(token, own);
      else heldBy.delete(token);
    }

    function take(call: Call, bytes: number): void {
      received += bytes;
      if (received > oneOperation) throw tooMuchRead(call, oneOperation, true);
      const more = Math.min(bytes, received - SMALL_BYTES);
      const isGone = isClosed && open === 0;
      if (more <= 0 || isGone) return;
      hold(call, more, true);
      taken += more;
    }

    function release(): void {
      if (!isClosed || open > 0) return;
      letGo(taken);
      taken = 0;
    }

    return {
      forms,
      begin(call) {
        if (this.isFull) throw tooMuchRead(call, oneOperation, false);
        let bytes = 0;
        let values = 0;
        let weight = 0;
        open += 1;
        return {
          receive(part) {
            bytes += part.length;
            if (received + part.length > SMALL_BYTES) values += countValues(part);
            const before = weight;
            weight = Math.max(bytes, values * BYTES_PER_VALUE);
            if (weight > oneAnswer && weight > bytes)
              throw tooManyValues(call, oneAnswer);
            take(call, weight - before);
          },
          end() {
            open -= 1;
            release();
          },
        };
      },
      join: take,
      sendForm(call, bytes) {
        if (bytes <= SMALL_BYTES) return () => {};
        hold(call, bytes, false);
        return () => letGo(bytes);
      },
      get received() {
        return received;
      },
      get isFull() {
        return received >= oneOperation;
      },
      close() {
        isClosed = true;
        release();
      },
    };
  };
}

/** For a client whose operator has it read one answer after the other. */
export const UNMETERED: Pick<Meter, 'begin'> = {
  begin: () => ({ receive() {}, end() {} }),
};

const isValueStart = new Uint8Array(256);
for (const mark of '[{,:') isValueStart[mark.charCodeAt(0)] = 1;

/** About how many values and keys a part of a JSON text has; marks within its strings count too. */
function countValues(part: Uint8Array): number {
  let count = 0;
  // Three times as fast as an iterator.
  for (let index = 0; index < part.length; index += 1) {
    count += isValueStart[part[index] as number] as number;
  }
  return count;
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

const tooMuchHeld = (call: Call, wasSent: boolean) =>
  new OverloadedError(
    call,
    `${wasSent ? 'was given up' : 'not made'}: the operations that run hold too many bytes already`,
    RETRY_AFTER_SECONDS,
    wasSent,
  );
