import type { WebSocket } from 'ws';

/** What `ws` keeps of a message whose end has not come. It has no other way to tell. */
interface Receiver {
  readonly _buffers: readonly Buffer[];
  readonly _fragments: readonly Buffer[];
}

/** The object of a part, beside the buffer it was cut from. Unit: bytes. */
const BYTES_PER_BUFFER = 256;

/** Each part keeps the whole buffer that it was cut from; neighbours may be cut from the same one, which then counts once. */
function memoryOfParts(parts: readonly Buffer[]): number {
  let bytes = parts.length * BYTES_PER_BUFFER;
  let last: ArrayBufferLike | null = null;
  for (const { buffer } of parts) {
    if (buffer !== last) bytes += buffer.byteLength;
    last = buffer;
  }
  return bytes;
}

/** About how much memory the unfinished message of a socket takes. Unit: bytes. */
export function unfinishedBytes(socket: WebSocket): number {
  const { _receiver } = socket as WebSocket & { readonly _receiver: Receiver };
  return memoryOfParts(_receiver._buffers) + memoryOfParts(_receiver._fragments);
}
