import { SMALL_BYTES } from './bytes.ts';
import { type Call, RestDecodeError, RestStatusError } from './errors.ts';
import type { HttpResponse } from './request.ts';
import { turn } from './turn.ts';

const MAX_BODY_IN_ERRORS_BYTES = 4096;
/** How much of an answer is searched for the caller's token. */
const MAX_REDACTED_CHARACTERS = 65_536;

/** The JSON of an answer; throws RestDecodeError if it is not JSON. */
function parseJson(call: Call, { text }: HttpResponse): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RestDecodeError(call, 'answered something that is not JSON');
  }
}

/** The JSON of an answer. A long one waits for its turn to be parsed, and for another one to be decoded. */
export function parseInTurn(call: Call, answer: HttpResponse): unknown {
  return answer.bytes > SMALL_BYTES ? parseLong(call, answer) : parseJson(call, answer);
}

async function parseLong(call: Call, answer: HttpResponse): Promise<unknown> {
  await turn();
  const json = parseJson(call, answer);
  await turn();
  return json;
}

/** Returns an answer whose status is a success; throws RestStatusError for any other. */
export function toSuccess(
  call: Call,
  answer: HttpResponse,
  redact: (text: string) => string,
): HttpResponse {
  const { status, headers, text } = answer;
  if (status >= 200 && status <= 299) return answer;
  throw new RestStatusError(call, {
    status,
    body: toErrorBody(text, redact),
    retryAfterSeconds: toSeconds(headers['retry-after']),
  });
}

/** Open point: error format. JSON as JSON, anything else as text, at most 4 KiB; null if there is nothing to show. The token is removed. */
function toErrorBody(whole: string, redact: (text: string) => string): unknown {
  const text = redact(whole.slice(0, MAX_REDACTED_CHARACTERS));
  // The text was cut, so it may end in half a token; if redaction left this little of it, that end would be shown.
  if (
    text === '' ||
    (whole.length > MAX_REDACTED_CHARACTERS && text.length < MAX_BODY_IN_ERRORS_BYTES)
  )
    return null;
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_BODY_IN_ERRORS_BYTES) {
    return cutUtf8(bytes, MAX_BODY_IN_ERRORS_BYTES);
  }
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The longest prefix of whole characters within the limit. */
function cutUtf8(bytes: Buffer, limit: number): string {
  let end = limit;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}

/** Open point: rate limits. `Retry-After` as seconds or as a date; null if there is none, or it cannot be read. */
export function toSeconds(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,9}(\.\d+)?$/.test(header)) return Math.ceil(Number(header));
  // Date.parse alone would read "-1" as a year.
  const date = /^[a-z]{3}/i.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}
