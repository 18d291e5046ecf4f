import { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import {
  brotliDecompressSync,
  constants,
  gunzipSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib';
import type { Incoming, IncomingAccount } from './incoming.ts';
import { BYTES_PER_REQUEST, MAX_BODY_BYTES } from './limits.ts';
import { takeFromParser } from './read-parts.ts';

/** The least that is taken for a body of which a part has come. Unit: bytes. */
const LEAST_BYTES = 256;
/**
 * Node runs code for each part, however short. A body without a length may come in 1,024 parts, and one more for each 128
 * bytes.
 */
const FREE_PARTS = 1024;
const BYTES_PER_CHUNK = 128;
const LIMIT = { maxOutputLength: MAX_BODY_BYTES };
/** Source: RFC 9659, which asks clients for no more: 8 MiB. */
const ZSTD = { ...LIMIT, params: { [constants.ZSTD_d_windowLogMax]: 23 } };

/**
 * By their names in lower case. Source: RFC 9110, "Content Codings", which have no case; "x-gzip" is another name. Not the
 * decoders that work in other threads: hundreds would run at once, each with up to 16 MiB, and go on when their clients have left.
 */
const DECODERS: ReadonlyMap<string, (body: Buffer) => Buffer> = new Map([
  ['gzip', (body) => gunzipSync(body, LIMIT)],
  ['x-gzip', (body) => gunzipSync(body, LIMIT)],
  ['deflate', (body) => inflateSync(body, LIMIT)],
  ['br', (body) => brotliDecompressSync(body, LIMIT)],
  ['zstd', (body) => zstdDecompressSync(body, ZSTD)],
]);

/** A body that is refused. */
export class BodyError extends Error {
  readonly statusCode: number;

  constructor(statusCode: number) {
    super();
    this.statusCode = statusCode;
  }
}

/** A body that does not come from its request, because another server has read or replaced that one. */
export interface ReplacedBody {
  readonly stream: Readable;
  /** Null: it is not known yet. Unit: bytes. */
  readonly length: number | null;
  /** Whether it is as compressed as the request says. */
  readonly isEncoded: boolean;
}

const IDENTITY = 'identity';
const NO_BYTES = Buffer.alloc(0);

/**
 * Reads the body of a request. Copies its parts into one buffer that grows, because each part keeps some hundred bytes, or all
 * that came with it. Until its end, the body counts as incoming.
 */
export class BodyReader {
  readonly #request: IncomingMessage;
  readonly #incoming: Incoming;
  readonly #caller: string | null;
  /** Null for a body that came in one part, as most do. */
  #held: IncomingAccount | null = null;
  #coding = IDENTITY;
  #buffer: Buffer = NO_BYTES;
  #length = 0;
  #parts = 0;
  #error: BodyError | null = null;
  #reject = (_error: BodyError) => {};

  constructor(request: IncomingMessage, incoming: Incoming, callerName: string | null) {
    this.#request = request;
    this.#incoming = incoming;
    this.#caller = callerName;
  }

  /** Reads the whole body. Rejects with BodyError. */
  readWhole(replaced: ReplacedBody | null): Promise<void> {
    const { 'content-length': length, 'content-encoding': coding } =
      this.#request.headers;
    if (replaced?.isEncoded !== false) this.#coding = coding?.toLowerCase() ?? IDENTITY;
    return replaced === null
      ? this.#read(this.#request, length === undefined ? null : Number(length))
      : this.#read(replaced.stream, replaced.length);
  }

  /** Decompresses the body, which may take some milliseconds. Throws BodyError, also if its room was needed for others. */
  decode(): Buffer {
    if (this.#error !== null) throw this.#error;
    const body = this.#buffer.subarray(0, this.#length);
    if (this.#coding === IDENTITY) return body;
    const decoder = DECODERS.get(this.#coding);
    if (decoder === undefined) throw new BodyError(415);
    try {
      return decoder(body);
    } catch (error) {
      throw new BodyError(error instanceof RangeError ? 413 : 400);
    }
  }

  /** Reads a stream to its end. `length`: as its sender announced it; null: it did not. */
  #read(stream: Readable, length: number | null): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (length !== null && length > MAX_BODY_BYTES) this.#fail(new BodyError(413));
      if (stream.destroyed) this.#fail(new BodyError(400));
      stream.on('data', (part: Buffer) => {
        try {
          if (this.#error === null) this.#take(part, length);
        } catch (error) {
          this.#fail(error as BodyError);
        }
      });
      stream.on('end', () => {
        if (length === null || length === this.#length) resolve();
        else this.#fail(new BodyError(400));
      });
      // It is malformed, or its sender has left.
      stream.on('error', () => this.#fail(new BodyError(400)));
      if (stream instanceof IncomingMessage) return;
      // It is not the request itself: another server has read that. Such a stream may close without an error.
      stream.on('close', () => {
        if (!stream.readableEnded) this.#fail(new BodyError(400));
      });
      // The other server may have paused it.
      stream.resume();
    });
  }

  /** Counts the body as incoming while it waits, even if it came in one part. Throws BodyError if there is no room. */
  hold(): void {
    if (this.#error !== null) throw this.#error;
    if (this.#held === null) this.#hold(this.#length);
  }

  /** It was used, or is not needed. */
  end(): void {
    this.#held?.end();
  }

  #fail(error: BodyError): void {
    this.#buffer = NO_BYTES;
    this.#error ??= error;
    this.#held?.end();
    this.#reject(this.#error);
  }

  /** Throws BodyError if it is too long, comes in too many parts, or finds no room. */
  #take(part: Buffer, said: number | null): void {
    const length = this.#length + part.length;
    this.#parts += 1;
    if (this.#parts === 2) takeFromParser(this.#request.socket);
    const most = said ?? MAX_BODY_BYTES;
    const isShattered =
      said === null && this.#parts > FREE_PARTS + length / BYTES_PER_CHUNK;
    if (length > most || isShattered) throw new BodyError(413);
    if (part.length === said) {
      this.#buffer = part;
    } else {
      const { length: size } = this.#buffer;
      if (length > size)
        this.#grow(Math.min(most, Math.max(LEAST_BYTES, length, 2 * size)));
      part.copy(this.#buffer, this.#length);
    }
    this.#length = length;
  }

  #grow(size: number): void {
    this.#hold(size);
    const grown = Buffer.allocUnsafeSlow(size);
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }

  /** Throws BodyError if there is no room for this much. Unit: bytes. */
  #hold(bytes: number): void {
    const { socket } = this.#request;
    this.#held ??= this.#incoming.open(
      { name: this.#caller, address: socket.remoteAddress },
      () => this.#fail(new BodyError(429)),
    );
    if (!this.#held.hold(BYTES_PER_REQUEST + bytes)) throw new BodyError(429);
  }
}
