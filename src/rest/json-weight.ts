import { randomBytes } from 'node:crypto';

/** A parsed value takes at least this much memory, and as long to parse as this much text. Unit: bytes. */
export const BYTES_PER_VALUE = 32;
/** The place of a value in its object. Keys take next to nothing: the objects of a list share them. Unit: bytes. */
const BYTES_PER_KEY = 8;
/** V8 keeps each key and each short text once. To add a new one takes as long as to parse this much text. Unit: bytes. */
const BYTES_PER_NEW_TEXT = 16;
/** To list a new key with the others of its object takes as long as to parse this much text. Unit: bytes. */
const BYTES_PER_NEW_KEY = 56;
/**
 * V8 makes a hidden class for each key of an object, unless an object with the same keys in the same order came before:
 * half a kilobyte, which takes longer than all the rest. Unit: bytes.
 */
const BYTES_PER_CLASS = 240;
/** An object of more keys is a hash table, and has no such classes. */
const MAX_CLASSES = 127;
/** V8 sorts keys that are numbers whenever the fields of their object are listed. Unit: bytes. */
const BYTES_PER_NUMBER_KEY = 48;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
/** Setting this bit turns `[` into `{`, and `]` into `}`. */
const CURLY = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;
/** The characters of a key that is a number: digits, and `\u0031` for a digit. */
const IN_NUMBER = new Uint8Array(256);
for (const mark of '0123456789\\u') IN_NUMBER[mark.charCodeAt(0)] = 1;

/** In a text with a character above U+00FF, each takes this much in memory; in others, half of it. Unit: bytes. */
const BYTES_PER_WIDE_CHARACTER = 2;
/** In UTF-8, a character above U+00FF begins with this byte or a higher one. */
const FIRST_WIDE = 0xc4;

/** Where all hashes begin. Nobody can guess it, so texts cannot be made that have the same hash. */
const SEED = randomBytes(4).readInt32LE();
/** Places for the hashes of one weight, at first and at most. */
const PLACES = { first: 1024, most: 65_536 };
/** A fuller table would have many collisions. */
const PLACES_PER_HASH = 8;

const nextHash = (before: number, next: number): number =>
  Math.imul(before ^ next, 0x01000193);

/** The latest hashes of one weight. The highest bits of a hash are its index. */
class SeenHashes {
  #places = new Int32Array(PLACES.first);
  #shift = Math.clz32(PLACES.first) + 1;
  #count = 0;

  isNew(hash: number): boolean {
    const place = hash >>> this.#shift;
    if (this.#places[place] === hash) return false;
    this.#places[place] = hash;
    this.#count += 1;
    if (this.#count * PLACES_PER_HASH > this.#places.length) this.#grow();
    return true;
  }

  #grow(): void {
    const old = this.#places;
    if (old.length === PLACES.most) return;
    this.#places = new Int32Array(2 * old.length);
    this.#shift -= 1;
    for (const hash of old) if (hash !== 0) this.#places[hash >>> this.#shift] = hash;
  }
}

/** Deeper levels share places: their classes are estimates. */
const LEVELS = 64;

/** An empty list or object takes this much memory. Unit: bytes. */
const BYTES_PER_LIST = 56;

/** A rough lower bound of the memory of a text's lists and objects: counts brackets in strings too. Unit: bytes. */
export const memoryOfLists = (text: string): number =>
  BYTES_PER_LIST * (countOf('[', text) + countOf('{', text));

function countOf(mark: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) count += 1;
  return count;
}

/** The weight of one JSON text that arrives in parts. Text after a syntax error counts too. */
export class JsonWeight {
  /** Commas outside strings: about as many as items and fields. */
  commas = 0;
  /** Of the levels of its lists and objects. */
  deepest = 0;
  #containers = 0;
  #keys = 0;
  #numberKeys = 0;
  #newTexts = 0;
  #newKeys = 0;
  #classes = 0;
  /** What its characters take in memory if one of them is wide. */
  #bytesIfWide = 0;
  #isWide = false;

  readonly #seen = new SeenHashes();
  /** Of the keys of whole objects. In one table, a text could push out the keys that each object of a list has. */
  readonly #seenKeys = new SeenHashes();
  #isInText = false;
  #isEscaped = false;
  /** Of the unfinished string at the end of the last part; without one, of the last string. */
  #hash = 0;
  #isNumber = 1;
  #isNew = 0;
  /** Hash and number of the current object's keys, then those of its enclosing objects. */
  #keysHash = 0;
  #ownKeys = 0;
  readonly #outerHashes = new Int32Array(LEVELS);
  readonly #outerKeys = new Int32Array(LEVELS);
  #level = 0;

  /** About what its values and characters take in memory. Unit: bytes. */
  get inMemory(): number {
    return Math.max(this.#bytesOfValues(), this.#isWide ? this.#bytesIfWide : 0);
  }

  /** It takes as long to parse as this much text. Unit: bytes. */
  get toParse(): number {
    return (
      this.#bytesOfValues() +
      BYTES_PER_NEW_TEXT * this.#newTexts +
      BYTES_PER_NEW_KEY * this.#newKeys +
      BYTES_PER_CLASS * this.#classes +
      BYTES_PER_NUMBER_KEY * this.#numberKeys
    );
  }

  #bytesOfValues(): number {
    // A value follows each comma and each opening bracket.
    const values = this.commas + this.#containers;
    return BYTES_PER_VALUE * values + BYTES_PER_KEY * this.#keys;
  }

  add(part: Uint8Array): void {
    let index = 0;
    while (index < part.length) {
      if (this.#isInText) index = this.#addText(part, index);
      else index = this.#addMarks(part, index);
    }
  }

  /** Adds the text up to its end, or that of the part. Returns the index behind it. */
  #addText(part: Uint8Array, begin: number): number {
    let hash = this.#hash;
    let isNumber = this.#isNumber;
    let isEscaped = this.#isEscaped;
    let characters = 0;
    let highest = 0;
    let index = begin;
    // Three times as fast as an iterator.
    for (; index < part.length; index += 1) {
      const byte = part[index] as number;
      if (byte === QUOTE && !isEscaped) break;
      isEscaped = byte === BACKSLASH && !isEscaped;
      hash = nextHash(hash, byte);
      isNumber &= IN_NUMBER[byte] as number;
      // In UTF-8, all but the first byte of a character are 10xxxxxx.
      if ((byte & 0xc0) !== 0x80) characters += 1;
      if (byte > highest) highest = byte;
    }
    this.#hash = hash;
    this.#isNumber = isNumber;
    this.#isEscaped = isEscaped;
    this.#bytesIfWide += BYTES_PER_WIDE_CHARACTER * characters;
    this.#isWide ||= highest >= FIRST_WIDE;
    if (index === part.length) return index;
    this.#isInText = false;
    this.#isNew = this.#seen.isNew(hash) ? 1 : 0;
    this.#newTexts += this.#isNew;
    return index + 1;
  }

  /** Counts the marks from `begin` up to the next string, or to the end of the part. Returns the index after its opening quote. */
  #addMarks(part: Uint8Array, begin: number): number {
    let index = begin;
    for (; index < part.length; index += 1) {
      const byte = part[index] as number;
      if (byte === QUOTE) {
        this.#isInText = true;
        this.#hash = SEED;
        this.#isNumber = 1;
        index += 1;
        break;
      }
      if (byte === COMMA) this.commas += 1;
      else if (byte === COLON) this.#addKey();
      else if ((byte | CURLY) === OPENING) this.#open();
      else if ((byte | CURLY) === CLOSING) this.#close();
    }
    this.#bytesIfWide += BYTES_PER_WIDE_CHARACTER * (index - begin);
    return index;
  }

  /** The last text is a key. */
  #addKey(): void {
    this.#keys += 1;
    this.#newKeys += this.#isNew;
    this.#numberKeys += this.#isNumber;
    this.#ownKeys += 1;
    this.#keysHash = nextHash(this.#keysHash, this.#hash);
  }

  #open(): void {
    this.#containers += 1;
    const place = this.#level % LEVELS;
    this.#outerHashes[place] = this.#keysHash;
    this.#outerKeys[place] = this.#ownKeys;
    this.#level += 1;
    if (this.#level > this.deepest) this.deepest = this.#level;
    this.#keysHash = ~SEED;
    this.#ownKeys = 0;
  }

  #close(): void {
    const keys = this.#ownKeys;
    if (keys > 0 && keys <= MAX_CLASSES && this.#seenKeys.isNew(this.#keysHash))
      this.#classes += keys;
    this.#level = Math.max(0, this.#level - 1);
    const place = this.#level % LEVELS;
    this.#keysHash = this.#outerHashes[place] as number;
    this.#ownKeys = this.#outerKeys[place] as number;
  }
}
