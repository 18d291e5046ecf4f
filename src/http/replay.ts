import { IncomingMessage } from 'node:http';
import { MAX_BODY_BYTES } from './limits.ts';

/**
 * A request as it was before its body was read, because a stream can be read only once. `body` is what was read: bytes, a
 * text, a parsed body, or undefined if it was read and dropped. `encoding`: how the bytes are still compressed.
 */
export function replay(
  request: IncomingMessage,
  body: unknown,
  encoding?: string,
): IncomingMessage {
  const bytes = toBytes(body);
  const copy = new IncomingMessage(request.socket);
  copy.method = request.method;
  copy.url = request.url;
  copy.httpVersion = request.httpVersion;
  const headers = { ...request.headers, 'content-length': String(bytes.length) };
  delete headers['transfer-encoding'];
  if (encoding === undefined) delete headers['content-encoding'];
  copy.headers = headers;
  copy.push(bytes);
  copy.push(null);
  copy.complete = true;
  return copy;
}

function toBytes(body: unknown): Buffer {
  if (body instanceof Uint8Array) return Buffer.from(body);
  if (typeof body === 'string') return Buffer.from(body);
  return Buffer.from(body === undefined ? '' : JSON.stringify(body));
}

/** Reads a stream; of one that is too long only as much as shows that. */
export async function readAll(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    length += bytes.length;
    if (length > MAX_BODY_BYTES) break;
  }
  return Buffer.concat(chunks);
}
