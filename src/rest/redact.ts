/** Written in place of a secret. */
const REDACTED = '[redacted]';
const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const LOWER_U = 0x75;
const HEX_BYTE = /^[0-9a-f]{2}$/i;
const HEX_UNIT = /^[0-9a-f]{4}$/i;

/**
 * Creates a function that removes a secret from a text, however it is encoded there: plain, JSON-escaped (`\"`, `\u0041`),
 * percent-encoded (`%41`), encoded several times, or any mixture. The time is linear in the length of the text, because
 * texts come from outside.
 */
export function createRedactor(secret: string | null): (text: string) => string {
  if (secret === null) return (text) => text;
  const plainSecret = isEncoded(secret) ? toPlain(secret).text : secret;
  return (text) => {
    if (plainSecret === '') return text.replaceAll(secret, REDACTED);
    if (!isEncoded(text)) return text.replaceAll(plainSecret, REDACTED);
    const plain = toPlain(text);
    let clean = '';
    let done = 0;
    let found = plain.text.indexOf(plainSecret);
    while (found !== -1) {
      const end = found + plainSecret.length;
      clean += text.slice(done, plain.starts[found]) + REDACTED;
      done = plain.starts[end] ?? text.length;
      found = plain.text.indexOf(plainSecret, end);
    }
    return clean + text.slice(done);
  };
}

/** Nearly every token and text is plain, so this check saves most of the work. */
const isEncoded = (text: string): boolean => text.includes('\\') || text.includes('%');

interface Plain {
  /** The text without backslashes, and with escapes and percent-encodings decoded. */
  readonly text: string;
  /** The position in the original of each of its characters, and one more entry for the end. */
  readonly starts: readonly number[];
}

/** A secret that was encoded more often than this is not found. */
const MAX_ENCODINGS = 8;

function toPlain(text: string): Plain {
  let plain: Plain = {
    text,
    starts: Array.from({ length: text.length + 1 }, (_, at) => at),
  };
  for (let turn = 0; turn < MAX_ENCODINGS; turn += 1) {
    const plainer = decodeOnce(plain);
    if (plainer.text.length === plain.text.length) break;
    plain = plainer;
  }
  return plain;
}

function decodeOnce({ text, starts }: Plain): Plain {
  const characters: string[] = [];
  const kept: number[] = [];
  let at = 0;
  while (at < text.length) {
    const { character, end } = readCharacter(text, at);
    if (character !== '') {
      characters.push(character);
      kept.push(starts[at] ?? 0);
    }
    at = end;
  }
  kept.push(starts.at(-1) ?? 0);
  return { text: characters.join(''), starts: kept };
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
