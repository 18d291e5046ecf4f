/** Enough for a document of 10,000 tokens with its variables, but not for uploads. Unit: bytes. */
export const MAX_BODY_BYTES = 1_048_576;
/**
 * Each item takes time in several stages, and up to 500 bytes. A body of half a mebibyte always has fewer items.
 * Unit: items and fields.
 */
export const MAX_BODY_ITEMS = 270_000;
/** How long a client may take to send its request. Unit: milliseconds. */
export const REQUEST_TIMEOUT_MS = 30_000;
