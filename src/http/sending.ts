import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Sending, Sendings } from './sendings.ts';

/** Longer answers are handed to the connection in parts of this size, as the client reads them. Unit: bytes. */
export const PART_BYTES = 65_536;

/** Notes that an answer is being sent until it has ended. `bytes`: what it takes of the room for all. */
export function watch(
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
  const sending = sendings.begin({ requestId, isGone, disconnect }, bytes);
  response.once('close', sending.end);
  return sending;
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
