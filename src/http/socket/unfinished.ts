import type { WebSocket } from 'ws';

/** What `ws` keeps of messages that it has not handed on. It has no other way to tell. */
interface Receiver {
  /** Of the part that it hands on, and of those behind it. */
  readonly writableLength: number;
  readonly _writableState: { readonly writelen: number };
  readonly _buffers: readonly Buffer[];
  readonly _fragments: readonly Buffer[];
}

/** The object of a part, beside the buffer it was cut from. Unit: bytes. */
const BYTES_PER_PART = 256;

/** Each part keeps the whole buffer that it was cut from; neighbours may be cut from the same one, which then counts once. */
function memoryOf(parts: readonly Buffer[]): number {
  let bytes = parts.length * BYTES_PER_PART;
  let last: ArrayBufferLike | null = null;
  for (const { buffer } of parts) {
    if (buffer !== last) bytes += buffer.byteLength;
    last = buffer;
  }
  return bytes;
}

/** About how much memory the messages of a socket take that `ws` has not handed on. Unit: bytes. */
export function unfinishedBytes(socket: WebSocket): number {
  const { _receiver } = socket as WebSocket & { readonly _receiver: Receiver };
  const { writableLength, _writableState, _buffers, _fragments } = _receiver;
  const behind = writableLength - _writableState.writelen;
  return behind + memoryOf(_buffers) + memoryOf(_fragments);
}
