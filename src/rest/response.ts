import type { Signal } from '../callers/abort.ts';
import { turnForLongWork } from '../callers/event-loop.ts';
import { SMALL_BYTES } from './bytes.ts';
import {
  type Call,
  RestDecodeError,
  RestStatusError,
  type StatusDetails,
} from './errors.ts';
import { createExactParser } from './exact-json.ts';
import { parseJson } from './json.ts';
import type { Redact } from './redact.ts';
import type { HttpResponse } from './request.ts';
import { isSuccess } from './status.ts';
import { toWords } from './words.ts';

const MAX_BODY_IN_ERRORS_BYTES = 4096;
/** How much of an answer is kept for its error: what an error shows, and room for a token at the end of it. */
const MAX_KEPT_CHARACTERS = 16_384;

/** Runs one step of reading the JSON of an answer. Whatever that throws becomes a RestDecodeError. */
function reading<T>(call: Call, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const trouble =
      error instanceof RangeError ? error.message : 'something that is not JSON';
    throw new RestDecodeError(call, `answered with ${trouble}`);
  }
}

export interface ParseOptions {
  /** Ends what has not begun. */
  readonly signal: Signal;
  /** Whether numbers inside the named field keep their text. It takes time to look for them, so only if somebody asks for the field. */
  readonly isExact: boolean;
}

/** Reads the JSON of an answer, or begins to. */
export type Parse = (call: Call, answer: HttpResponse, how: ParseOptions) => unknown;

/**
 * Parses answers. Numbers inside the named field may keep their text; all others become doubles. A long answer waits for a turn
 * before it is parsed, and for another before it is decoded. Parsing stops once nobody waits, because its bytes then no longer
 * count as held.
 */
export function createParse(exactField: string): Parse {
  const exact = createExactParser({ inside: exactField, keepsText: () => true });

  async function parseLong(
    call: Call,
    { text }: HttpResponse,
    { signal, isExact }: ParseOptions,
  ): Promise<unknown> {
    const turnOrAbort = async () => {
      await turnForLongWork();
      if (signal.aborted) throw signal.reason;
    };
    await turnOrAbort();
    const marked = isExact ? reading(call, () => exact.mark(text)) : null;
    if (marked !== null) await turnOrAbort();
    const json: unknown = reading(call, () => JSON.parse(marked ?? text));
    await turnOrAbort();
    if (marked === null) return json;
    const restored = exact.restore(json);
    await turnOrAbort();
    return restored;
  }

  return (call, answer, how) =>
    answer.bytes > SMALL_BYTES
      ? parseLong(call, answer, how)
      : reading(call, () => (how.isExact ? exact : JSON).parse(answer.text));
}

/** Returns an answer whose status is a success; throws RestStatusError for any other. */
export function toSuccess(
  call: Call,
  answer: HttpResponse,
  redact: Redact,
): HttpResponse {
  if (isSuccess(answer.status)) return answer;
  throw new RestStatusError(call, new ErrorAnswer(answer, redact));
}

/** An answer that is no success. Its body is read when an error first shows it: most are never shown, and redaction takes time. */
class ErrorAnswer implements StatusDetails {
  readonly status: number;
  readonly retryAfterSeconds: number | null;
  readonly #text: string;
  readonly #isCut: boolean;
  readonly #redact: Redact;
  #read: ErrorBody | null = null;

  constructor({ status, headers, text }: HttpResponse, redact: Redact) {
    this.status = status;
    this.retryAfterSeconds = toSeconds(headers['retry-after']);
    this.#isCut = text.length > MAX_KEPT_CHARACTERS;
    // A copy, because a slice would keep the whole answer in memory.
    this.#text = this.#isCut
      ? Buffer.from(text.slice(0, MAX_KEPT_CHARACTERS)).toString()
      : text;
    this.#redact = redact;
  }

  get body(): unknown {
    return this.#readOnce().body;
  }

  get words(): string | null {
    return this.#readOnce().words;
  }

  #readOnce(): ErrorBody {
    if (this.#read !== null) return this.#read;
    const clean = this.#redact(this.#text, this.#isCut);
    this.#read = { body: toErrorBody(clean), words: toWords(clean) };
    return this.#read;
  }
}

type ErrorBody = Pick<StatusDetails, 'body' | 'words'>;

/** Shows at most 4 KiB of an error's body, as JSON or as text; null if nothing can be shown. Open point: error format. */
function toErrorBody(text: string): unknown {
  if (text === '') return null;
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_BODY_IN_ERRORS_BYTES) {
    return cutUtf8(bytes, MAX_BODY_IN_ERRORS_BYTES);
  }
  const json = parseJson(text);
  return json === undefined ? text : json;
}

/** The longest prefix of whole characters within the limit. */
function cutUtf8(bytes: Buffer, limit: number): string {
  let end = limit;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}

/** Reads `Retry-After`, in seconds or as a date; null if it is missing or unreadable. Open point: rate limits. */
export function toSeconds(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,15}(\.\d+)?$/.test(header)) return Math.ceil(Number(header));
  // Date.parse alone would read "-1" as a year.
  const date = /^[a-z]{3}/i.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}
