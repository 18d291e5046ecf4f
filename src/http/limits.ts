/** Enough for a document of 10,000 tokens with its variables, but not for uploads. Unit: bytes. */
export const MAX_BODY_BYTES = 1_048_576;
/** The rest of a refused body is read only if its announced length is at most this. Unit: bytes. */
export const MAX_DROPPED_BYTES = 8_388_608;
/**
 * Each item takes time in several stages, and up to 500 bytes. A body of a quarter of a mebibyte never has more items.
 * Unit: items and fields.
 */
export const MAX_BODY_ITEMS = 131_072;
/** How deep a body that is not short may be. Half a million levels take a twentieth of a second, and no request needs a hundred. */
export const MAX_BODY_LEVELS = 1000;
/** A longer body takes time to be parsed, and its values may take memory worth counting. Unit: bytes. */
export const SHORT_BODY_BYTES = 8192;
/** What an unfinished request takes beside its body, with its connection. Unit: bytes. */
export const BYTES_PER_REQUEST = 8192;
/**
 * All bodies and messages together that have not come whole, or wait. By default it is half of what running operations may
 * hold: room for 31 of the longest, or for some 4,000 short ones whose senders are slow. Unit: bytes.
 */
export const MAX_INCOMING_BYTES = 33_554_432;
/** How long a client may take to send its request. Unit: milliseconds. */
export const REQUEST_TIMEOUT_MS = 30_000;
/** Longer answers are handed to the connection in parts of this size, as the client reads them. Unit: bytes. */
export const PART_BYTES = 65_536;
