import type { Transform } from 'node:stream';
import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzipSync,
} from 'node:zlib';
import Negotiator from 'negotiator';
import { memoizedHeader } from './headers.ts';

/** Shorter answers cost more to compress than to send. Unit: bytes. */
const COMPRESS_FROM_BYTES = 1024;
const BROTLI = {
  params: {
    /** The default, 11, takes more time than it saves on any network; 4 takes half as long again, for answers up to 6 % shorter. */
    [constants.BROTLI_PARAM_QUALITY]: 3,
    /** 2^18 bytes. With the default, 2^22, an answer that waits for its client takes 6 MB, not 1, and is no shorter. */
    [constants.BROTLI_PARAM_LGWIN]: 18,
  },
};

/** The default level, 6, takes half as long again, for answers that are 3 to 9 % shorter. */
const GZIP = { level: 3 };

/** How an answer is compressed. */
export interface Encoding {
  readonly name: string;
  readonly compress: (body: string | Buffer) => Buffer;
  readonly createStream: () => Transform;
}

/** The one that is preferred first. */
const ENCODINGS: readonly Encoding[] = [
  {
    name: 'br',
    compress: (body) => brotliCompressSync(body, BROTLI),
    createStream: () => createBrotliCompress(BROTLI),
  },
  {
    name: 'gzip',
    compress: (body) => gzipSync(body, GZIP),
    createStream: () => createGzip(GZIP),
  },
];

/** The types of the package lack the second argument. */
interface PreferringNegotiator {
  encoding(offered: string[], options?: { preferred: string[] }): string | undefined;
}

/** The one of these that a client prefers to the text as it is; null: none. */
export function negotiate<Named extends { readonly name: string }>(
  accepted: string,
  encodings: readonly Named[],
): Named | null {
  const offered = [...encodings.map(({ name }) => name), 'identity'];
  const headers = { 'accept-encoding': accepted };
  const negotiator: PreferringNegotiator = new Negotiator({ headers });
  const preferred = negotiator.encoding(offered, { preferred: offered });
  return encodings.find(({ name }) => name === preferred) ?? null;
}

const readEncoding = memoizedHeader((accepted) => ({
  encoding: negotiate(accepted, ENCODINGS),
}));

/** How to compress an answer of this many bytes for a client with this `Accept-Encoding`. Null: it is sent uncompressed. */
export const toEncoding = (
  bytes: number,
  accepted: string | undefined,
): Encoding | null =>
  accepted === undefined || bytes < COMPRESS_FROM_BYTES
    ? null
    : readEncoding(accepted).encoding;
