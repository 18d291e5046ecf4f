const REDACTED = '[redacted]';
/** The most characters that one character of a secret takes: `\u0041`. */
const LONGEST_ENCODED = 6;

/**
 * Removes a secret from a text. `isCut`: the text was cut off, perhaps inside the secret, so an end as long as the encoded
 * secret may be is dropped.
 */
export type Redact = (text: string, isCut?: boolean) => string;

/**
 * Creates a function that removes a secret from a text, however it is encoded there: plain, JSON-escaped (`\"`, `\u0041`),
 * percent-encoded (`%41`), encoded several times, or any mixture. A text with one of the unusual encodings is decoded. The time
 * is linear in the length of the text, because texts come from outside. Spaces separate several secrets.
 */
export function createRedactor(secret: string | null): Redact {
  if (secret === null || secret === '') return (text) => text;
  if (secret.includes(' ')) {
    const all = secret.split(' ').map(createRedactor);
    return (text, isCut) => all.reduce((rest, redact) => redact(rest, isCut), text);
  }
  // Computed when first needed: nearly every text is plain.
  let usual: readonly string[] | null = null;
  const redact = (text: string): string => {
    if (!isEncoded(text))
      return text.length < secret.length ? text : text.replaceAll(secret, REDACTED);
    usual ??= usualEncodings(secret);
    const clean = usual.reduce((rest, one) => rest.replaceAll(one, REDACTED), text);
    const plainSecret = withoutEncodings(secret);
    // Backslashes alone decode to nothing.
    if (plainSecret === '' || !isEncoded(clean)) return clean;
    const plain = withoutEncodings(clean);
    return plain.includes(plainSecret) ? plain.replaceAll(plainSecret, REDACTED) : clean;
  };
  return (text, isCut = false) => {
    const clean = redact(text);
    if (!isCut) return clean;
    return clean.slice(0, Math.max(0, clean.length - LONGEST_ENCODED * secret.length));
  };
}

/** To remove a shorter one would make a text unreadable, because it is part of ordinary words. Unit: characters. */
const SHORTEST_SECRET = 8;
const BETWEEN_WORDS = /[\s=;,:"]+/;

/** How many words of forwarded headers are looked for: a text is searched for each. */
const MAX_WORDS = 16;

/**
 * Creates what makes redactors of one secret each, which also remove other texts that may be secrets, whole and their long
 * words: `others`, and the longest words of a caller's forwarded headers.
 */
export function createRedactors(others: readonly string[]) {
  const words = toWords(others);
  return (secret: string | null, forwarded: Forwarded = null): Redact => {
    if (words.length === 0 && forwarded === null) return createRedactor(secret);
    const own = toWords(Object.values(forwarded ?? {})).slice(0, MAX_WORDS);
    const all = [...(secret?.split(' ') ?? []), ...words, ...own];
    return createRedactor(all.sort(longestFirst).join(' '));
  };
}

type Forwarded = Readonly<Record<string, string>> | null;

/** They may contain others. */
const longestFirst = (one: string, other: string) => other.length - one.length;

function toWords(texts: readonly string[]): string[] {
  const all = texts.flatMap((text) => [...text.split(' '), ...text.split(BETWEEN_WORDS)]);
  const words = new Set(all.filter(({ length }) => length >= SHORTEST_SECRET));
  return [...words].sort(longestFirst);
}

/** As services write a token. The longest come first, because they may contain the others. */
function usualEncodings(secret: string): readonly string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const all = [inJson.replaceAll('/', '\\/'), inJson, secret];
  if (secret.isWellFormed()) all.push(encodeURIComponent(secret));
  return [...new Set(all)].sort((one, other) => other.length - one.length);
}

const isEncoded = (text: string): boolean => text.includes('\\') || text.includes('%');

/** A secret that was encoded more often than this is not found. */
const MAX_ENCODINGS = 8;
/** Backslashes count as part of the character after them, so that none stays before a removed secret. */
const ESCAPE = /\\+(?:u([\da-f]{4}))?|%(?:25)*([\da-f]{2})/gi;

/** The text without backslashes, and with escapes and percent-encodings decoded. */
function withoutEncodings(text: string): string {
  let plain = text;
  for (let turn = 0; turn < MAX_ENCODINGS && isEncoded(plain); turn += 1) {
    const plainer = plain.replace(ESCAPE, (_all, unit = '', byte = unit) =>
      byte === '' ? '' : String.fromCharCode(Number.parseInt(byte, 16)),
    );
    if (plainer === plain) break;
    plain = plainer;
  }
  return plain;
}
