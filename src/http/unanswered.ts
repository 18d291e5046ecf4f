import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Few clients send a request before the last one is answered, and none needs as much. Unit: requests. */
const MAX_UNANSWERED = 64;

/** Counts a request until it is answered. False: its connection has too many, and was closed. */
export type CountUnanswered = (
  request: IncomingMessage,
  response: ServerResponse,
) => boolean;

interface UnansweredOptions {
  /** Sends answers that wait. It runs when a connection has another request: what is answered then counts no more. */
  readonly sendNow: () => void;
}

/**
 * Closes a connection over which dozens of requests arrive before the first is answered: Node reads and begins them all,
 * so that one connection could hold a hundred thousand operations, each of which takes some 30 KB.
 */
export function boundUnanswered({ sendNow }: UnansweredOptions): CountUnanswered {
  const connections = new WeakMap<Socket, Unanswered>();
  return (request, response) => {
    // Over HTTP/2, the server of the host bounds the streams of a connection.
    if (request.httpVersionMajor > 1) return true;
    const { socket } = request;
    let unanswered = connections.get(socket);
    if (unanswered === undefined) {
      unanswered = new Unanswered();
      connections.set(socket, unanswered);
    }
    if (unanswered.count > 0) sendNow();
    unanswered.count += 1;
    if (unanswered.count > MAX_UNANSWERED) {
      socket.destroy();
      return false;
    }
    response.on('close', unanswered.answered);
    return true;
  };
}

/** The requests of one connection that are not answered yet. */
class Unanswered {
  count = 0;
  /** One function for all of them, because a closure for each would cost more. */
  readonly answered = () => {
    this.count -= 1;
  };
}
