/** Written in place of a secret. */
const REDACTED = '[redacted]';
const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const LOWER_U = 0x75;
const HEX_BYTE = /^[0-9a-f]{2}$/i;
const HEX_UNIT = /^[0-9a-f]{4}$/i;
const ESCAPE = /[\\%]/g;
/** The most characters that one character of a secret takes: `\u0041`. */
const LONGEST_ENCODED = 6;

/**
 * Removes a secret from a text. `isCut`: the text is the beginning of a longer one. Then its end is dropped, as much of it as
 * may be the beginning of the secret.
 */
export type Redact = (text: string, isCut?: boolean) => string;

/**
 * Creates a function that removes a secret from a text, however it is encoded there: plain, JSON-escaped (`\"`, `\u0041`),
 * percent-encoded (`%41`), encoded several times, or any mixture. The time is linear in the length of the text, because
 * texts come from outside. A text without encodings is only searched.
 */
export function createRedactor(secret: string | null): Redact {
  if (secret === null) return (text) => text;
  const plainSecret = isEncoded(secret) ? toPlain(secret).text : secret;
  const redact = (text: string): string => {
    // Backslashes alone.
    if (plainSecret === '') return text.replaceAll(secret, REDACTED);
    // Decoding never makes a text longer.
    if (text.length < plainSecret.length) return text;
    if (!isEncoded(text)) return text.replaceAll(plainSecret, REDACTED);
    return replaceSecret(text, plainSecret);
  };
  return (text, isCut = false) => {
    const clean = redact(text);
    if (!isCut) return clean;
    return clean.slice(0, Math.max(0, clean.length - LONGEST_ENCODED * secret.length));
  };
}

function replaceSecret(text: string, secret: string): string {
  const plain = toPlain(text);
  const parts: string[] = [];
  let done = 0;
  let donePlain = 0;
  for (;;) {
    const found = plain.text.indexOf(secret, donePlain);
    if (found === -1) break;
    donePlain = found + secret.length;
    parts.push(text.slice(done, plain.toStart(found)), REDACTED);
    done = plain.toStart(donePlain);
  }
  return parts.join('') + text.slice(done);
}

/** Nearly every token and text is plain, so this check saves most of the work. */
const isEncoded = (text: string): boolean => text.includes('\\') || text.includes('%');

interface Plain {
  /** The text without backslashes, and with escapes and percent-encodings decoded. */
  readonly text: string;
  /** Where a character of it begins in the original text; the end of that text for a position behind the last one. */
  toStart(position: number): number;
}

/** A secret that was encoded more often than this is not found. */
const MAX_ENCODINGS = 8;

function toPlain(text: string): Plain {
  let plain: Plain = { text, toStart: (position) => position };
  for (let turn = 0; turn < MAX_ENCODINGS; turn += 1) {
    const plainer = decodeOnce(plain);
    if (plainer.text.length === plain.text.length) break;
    plain = plainer;
  }
  return plain;
}

/** Decodes each escape once. What lies between them is copied in pieces: most texts have few escapes, if any. */
function decodeOnce({ text, toStart }: Plain): Plain {
  const parts: string[] = [];
  /** The position of each piece, after decoding and before. */
  const decoded = [0];
  const encoded = [0];
  let length = 0;
  let done = 0;
  const add = (part: string, end: number) => {
    parts.push(part);
    length += part.length;
    done = end;
    decoded.push(length);
    encoded.push(done);
  };
  for (let at = findEscape(text, 0); at < text.length; ) {
    const { character, end } = readCharacter(text, at);
    // A percent sign that encodes nothing stays where it is.
    if (end - at !== character.length) {
      add(text.slice(done, at), at);
      add(character, end);
    }
    at = findEscape(text, end);
  }
  parts.push(text.slice(done));
  return {
    text: parts.join(''),
    toStart(position) {
      const piece = findLast(decoded, position);
      return toStart((encoded[piece] ?? 0) + position - (decoded[piece] ?? 0));
    },
  };
}

/** The index of the last of the ascending numbers that is not above `most`. */
function findLast(numbers: readonly number[], most: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((numbers[middle] ?? 0) <= most) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The position of the next backslash or percent sign; the end of the text if there is none. */
function findEscape(text: string, from: number): number {
  ESCAPE.lastIndex = from;
  return ESCAPE.exec(text)?.index ?? text.length;
}

/** The character at a position, decoded if it is escaped, and where the next one begins. */
function readCharacter(text: string, start: number): { character: string; end: number } {
  const code = text.charCodeAt(start);
  if (code === BACKSLASH) return readEscape(text, start);
  if (code === PERCENT) return readPercent(text, start);
  return { character: text.charAt(start), end: start + 1 };
}

/** Backslashes count as part of the character after them, so that none stays before a removed secret. */
function readEscape(text: string, start: number): { character: string; end: number } {
  let at = start;
  while (text.charCodeAt(at) === BACKSLASH) at += 1;
  const hex = text.charCodeAt(at) === LOWER_U ? text.slice(at + 1, at + 5) : '';
  if (HEX_UNIT.test(hex)) {
    return { character: String.fromCharCode(Number.parseInt(hex, 16)), end: at + 5 };
  }
  return at === text.length ? { character: '', end: at } : readCharacter(text, at);
}

function readPercent(text: string, start: number): { character: string; end: number } {
  let at = start + 1;
  while (text.startsWith('25', at) && HEX_BYTE.test(text.slice(at + 2, at + 4))) at += 2;
  const hex = text.slice(at, at + 2);
  if (!HEX_BYTE.test(hex)) return { character: '%', end: start + 1 };
  return { character: String.fromCharCode(Number.parseInt(hex, 16)), end: at + 2 };
}
