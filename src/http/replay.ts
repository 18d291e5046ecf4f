import { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

/**
 * A request as it was before its body was read, because a stream can be read only once. `body` is what was read: bytes, a
 * text, a parsed body, or undefined if it was read and dropped.
 */
export function replay(request: IncomingMessage, body: unknown): IncomingMessage {
  const bytes = toBytes(body);
  const copy = copyOf(request);
  copy.headers['content-length'] = String(bytes.length);
  delete copy.headers['content-encoding'];
  copy.push(bytes);
  return ended(copy);
}

/** A request with another stream in place of its body. `isDecoded`: whether that is not compressed any more. */
export function withBody(
  request: IncomingMessage,
  body: Readable,
  isDecoded: boolean,
): IncomingMessage {
  const copy = copyOf(request);
  copy.headers['transfer-encoding'] = 'chunked';
  if (isDecoded) delete copy.headers['content-encoding'];
  copy._read = () => body.resume();
  body.on('data', (part) => {
    if (!copy.push(part)) body.pause();
  });
  body.on('end', () => ended(copy));
  body.on('error', (error) => copy.destroy(error));
  return copy;
}

/** Without a body, and what says how long that is. */
function copyOf(request: IncomingMessage): IncomingMessage {
  const copy = new IncomingMessage(request.socket);
  copy.method = request.method;
  copy.url = request.url;
  copy.httpVersion = request.httpVersion;
  copy.headers = { ...request.headers };
  delete copy.headers['transfer-encoding'];
  delete copy.headers['content-length'];
  return copy;
}

function ended(copy: IncomingMessage): IncomingMessage {
  copy.push(null);
  copy.complete = true;
  return copy;
}

/** Is refused like any other body that is no JSON. */
const NO_JSON = Buffer.from('{');

function toBytes(body: unknown): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  if (body instanceof Uint8Array) return Buffer.from(body);
  try {
    return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  } catch {
    // It is nested too deep, for example, or has a method `toJSON` that throws.
    return NO_JSON;
  }
}
