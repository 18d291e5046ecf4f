import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Sending, Sendings } from './sendings.ts';

/** Longer answers are handed to the connection in parts of this size, as the client reads them. Unit: bytes. */
export const PART_BYTES = 65_536;

/** Notes that an answer is being sent. `bytes`: what it takes of the room for all. The caller ends it. */
export function beginSending(
  sendings: Pick<Sendings, 'begin'>,
  response: ServerResponse,
  requestId: string,
  bytes: number,
): Sending {
  // A response that waits behind another one of its connection has no socket yet.
  const { socket } = response.req;
  const isGone = () => socket.destroyed;
  const disconnect = () => {
    socket.destroy();
    response.destroy();
  };
  return sendings.begin({ requestId, isGone, disconnect }, bytes);
}

/** The answer in parts, each handed on when the connection takes it. */
export function inParts(bytes: Buffer, sending: Sending): Readable {
  let handed = 0;
  return new Readable({
    highWaterMark: PART_BYTES,
    read() {
      const part = bytes.subarray(handed, handed + PART_BYTES);
      handed += part.length;
      sending.took(part.length);
      this.push(part.length > 0 ? part : null);
    },
  });
}
