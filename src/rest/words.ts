import { parseJson } from './json.ts';

/** Unit: characters. */
const MAX_WORDS = 200;
/** An opening or closing tag, a declaration or a comment. Markup is for browsers. */
const MARKUP = /<[a-z/!?]/i;
/** White space, control characters, and those that change the direction of all text after them. */
const GAPS = /[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu;
/** The beginning of JSON that was cut, or is wrong: it is for programs. */
const JSON_START = /^\s*(?:\{|\[\s*[{["\d])/;
/** Bytes that are no text, such as those of a compressed answer. */
const NOT_TEXT = /[^\P{Cc}\s]|\ufffd/u;

/**
 * The words for people in the body of a refusal, on one line and at most 200 characters: the usual fields of JSON, or plain
 * text. Null if there are none. Open point: error format.
 */
export function toWords(body: string): string | null {
  const found = findWords(body);
  if (found === null) return null;
  const line = found.replace(GAPS, ' ').trim();
  const characters = Array.from(line);
  if (characters.length <= MAX_WORDS) return line === '' ? null : line;
  return `${characters.slice(0, MAX_WORDS - 1).join('')}\u2026`;
}

function findWords(body: string): string | null {
  const json = parseJson(body);
  if (json === undefined) {
    const isPlain = !JSON_START.test(body) && !MARKUP.test(body) && !NOT_TEXT.test(body);
    return isPlain ? body : null;
  }
  if (typeof json === 'string') return MARKUP.test(json) ? null : json;
  const { message, error, detail, title, errors } = fieldsOf(json);
  const candidates = [
    message,
    error,
    fieldsOf(error).message,
    detail,
    title,
    Array.isArray(errors) ? fieldsOf(errors[0]).message : null,
  ];
  return candidates.find(isWords) ?? null;
}

/** The fields of any JSON; none if it is no object. */
const fieldsOf = (json: unknown): Readonly<Record<string, unknown>> =>
  typeof json === 'object' && json !== null ? { ...json } : {};

const isWords = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '';
