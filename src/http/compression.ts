import type { Transform } from 'node:stream';
import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzipSync,
} from 'node:zlib';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

/** Shorter answers cost more to compress than to send. Unit: bytes. */
const COMPRESS_FROM_BYTES = 1024;
/** A character of a string takes at most this much in UTF-8. */
const MAX_BYTES_PER_CHARACTER = 3;
const BROTLI = {
  params: {
    /** The default, 11, takes more time than it saves on any network. */
    [constants.BROTLI_PARAM_QUALITY]: 4,
    /** 2^18 bytes. With the default, 2^22, an answer that waits for its client takes 6 MB, not 1, and is no shorter. */
    [constants.BROTLI_PARAM_LGWIN]: 18,
  },
};

/** How an answer is compressed. */
export interface Encoding {
  readonly name: string;
  compress(text: string): Buffer;
  createStream(): Transform;
}

const ENCODINGS: ReadonlyMap<string, Encoding> = new Map(
  [
    {
      name: 'br',
      compress: (text: string) => brotliCompressSync(text, BROTLI),
      createStream: () => createBrotliCompress(BROTLI),
    },
    {
      name: 'gzip',
      compress: (text: string) => gzipSync(text),
      createStream: () => createGzip(),
    },
  ].map((encoding) => [encoding.name, encoding]),
);
const NAMES = [...ENCODINGS.keys()];

/** The types of the package lack the second argument. */
interface PreferringNegotiator {
  encoding(offered: string[], options?: { preferred: string[] }): string | undefined;
}

/** Which of these encodings a client prefers to the text as it is; undefined: none. */
export function negotiate<Name extends string>(
  accepted: string,
  names: readonly Name[],
): Name | undefined {
  const offered = [...names, 'identity'];
  const headers = { 'accept-encoding': accepted };
  const negotiator: PreferringNegotiator = new Negotiator({ headers });
  const preferred = negotiator.encoding(offered, { preferred: offered });
  return names.find((name) => name === preferred);
}

/** A longer header is read each time. Unit: characters. */
const MAX_KNOWN_LENGTH = 256;
/** What was read of the headers used lately: nearly every request has one of a few. */
const known = new LRUCache<string, { readonly encoding: Encoding | null }>({
  max: 64,
  memoMethod: (accepted) => ({ encoding: readEncoding(accepted) }),
});

const readEncoding = (accepted: string): Encoding | null =>
  ENCODINGS.get(negotiate(accepted, NAMES) ?? '') ?? null;

/** How to compress a text for a client with this `Accept-Encoding`; null: it is sent as it is. */
export function toEncoding(text: string, accepted: string | undefined): Encoding | null {
  if (accepted === undefined) return null;
  if (text.length * MAX_BYTES_PER_CHARACTER < COMPRESS_FROM_BYTES) return null;
  if (Buffer.byteLength(text) < COMPRESS_FROM_BYTES) return null;
  return accepted.length > MAX_KNOWN_LENGTH
    ? readEncoding(accepted)
    : known.memo(accepted).encoding;
}
