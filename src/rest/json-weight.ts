/** A parsed value takes at least this much memory, and as long to parse as this much text. Unit: bytes. */
export const BYTES_PER_VALUE = 32;
/** The place of a value in its object. Keys take next to nothing: the objects of a list share them. Unit: bytes. */
export const BYTES_PER_KEY = 8;
/** But V8 looks for each key, and each short text, among all it knows, and adds it: that takes as long as to parse this much. Unit: bytes. */
const BYTES_TO_LOOK_UP = 16;
/** And a key that is a number takes as long as this much in all: V8 sorts such keys whenever an object's fields are listed. Unit: bytes. */
const BYTES_PER_NUMBER_KEY = 128;

/** What each mark of JSON counts as: a value follows `[`, `{` and `,`, and a key precedes `:`. Unit: bytes. */
const BYTES_AFTER = new Uint8Array(256);
for (const mark of '[{,') BYTES_AFTER[mark.charCodeAt(0)] = BYTES_PER_VALUE;
const COLON = 0x3a;
BYTES_AFTER[COLON] = BYTES_PER_KEY;
const QUOTE = 0x22;
/** What a key that is a number is made of: digits, and `\u0031` for a digit. */
const IN_NUMBER = new Uint8Array(256);
for (const mark of '0123456789\\u') IN_NUMBER[mark.charCodeAt(0)] = 1;

/** In a text with a character above U+00FF, each takes this much in memory; in others, half of it. Unit: bytes. */
const BYTES_PER_WIDE_CHARACTER = 2;
/** In UTF-8, a character above U+00FF begins with this byte or a higher one. */
const FIRST_WIDE = 0xc4;

/** The weight of one JSON text that arrives in parts. Punctuation inside strings counts too, so this is an upper bound. */
export class JsonWeight {
  #bytesOfValues = 0;
  #quotes = 0;
  #numberKeys = 0;
  /** Whether all since the last quote may be a number, and whether that was so between the two quotes before; 0 or 1. */
  #mayBeNumber = 0;
  #wasNumber = 0;
  /** What its characters take in memory if one of them is wide. */
  #bytesIfWide = 0;
  #isWide = false;

  /** About what its values and characters take in memory. Unit: bytes. */
  get inMemory(): number {
    return Math.max(this.#bytesOfValues, this.#isWide ? this.#bytesIfWide : 0);
  }

  /** It takes as long to parse as this much text. Unit: bytes. */
  get toParse(): number {
    return (
      this.#bytesOfValues +
      (BYTES_TO_LOOK_UP / 2) * this.#quotes +
      (BYTES_PER_NUMBER_KEY - BYTES_TO_LOOK_UP - BYTES_PER_KEY) * this.#numberKeys
    );
  }

  add(part: Uint8Array): void {
    let values = 0;
    let quotes = 0;
    let numberKeys = 0;
    let mayBeNumber = this.#mayBeNumber;
    let wasNumber = this.#wasNumber;
    let characters = 0;
    let highest = 0;
    // Three times as fast as an iterator.
    for (let index = 0; index < part.length; index += 1) {
      const byte = part[index] as number;
      values += BYTES_AFTER[byte] as number;
      if (byte === COLON) numberKeys += wasNumber;
      if (byte === QUOTE) {
        quotes += 1;
        wasNumber = mayBeNumber;
        mayBeNumber = 1;
      } else {
        mayBeNumber &= IN_NUMBER[byte] as number;
      }
      // In UTF-8, all but the first byte of a character are 10xxxxxx.
      if ((byte & 0xc0) !== 0x80) characters += 1;
      if (byte > highest) highest = byte;
    }
    this.#bytesOfValues += values;
    this.#quotes += quotes;
    this.#numberKeys += numberKeys;
    this.#mayBeNumber = mayBeNumber;
    this.#wasNumber = wasNumber;
    this.#bytesIfWide += BYTES_PER_WIDE_CHARACTER * characters;
    this.#isWide ||= highest >= FIRST_WIDE;
  }
}
