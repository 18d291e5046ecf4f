import type { IncomingMessage, ServerResponse } from 'node:http';
import { BYTES_PER_REQUEST } from './body.ts';
import { toBearerToken } from './credentials.ts';
import type { Incoming } from './incoming.ts';

/** Waits until the requests before this one of its connection are answered; undefined if they are. */
export type InOrder = (
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void> | undefined;

/**
 * Lets a client send requests before the first is answered, but answers one after the other: Node would begin them all, and
 * keep each answer until the client has read those before it. While one waits, the connection is not read. Those that were
 * read with it count as incoming, and the connection is closed if there is no room for them.
 */
export const inOrder =
  (incoming: Incoming): InOrder =>
  (request, response) => {
    // Node gives a response its socket when its turn has come. Over HTTP/2, no response waits for another one.
    if (response.socket !== null || request.httpVersionMajor > 1) return undefined;
    const { socket, headers } = request;
    const token = toBearerToken(headers.authorization);
    const close = () => socket.destroy();
    const held = incoming.open({ token, address: socket.remoteAddress }, close);
    request.once('close', held.end);
    return new Promise((begin) => {
      if (!held.hold(BYTES_PER_REQUEST)) {
        close();
        return;
      }
      socket.pause();
      response.once('socket', () => {
        held.end();
        socket.resume();
        begin();
      });
    });
  };
