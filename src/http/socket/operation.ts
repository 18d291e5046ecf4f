import { IS_OVER } from '../../callers/abort.ts';
import type { Lifetime } from '../../callers/time-limit.ts';
import {
  isStream,
  type OperationResponse,
  type ResultStream,
} from '../../operation/request.ts';
import type { HttpContext } from '../context.ts';
import { toErrors } from '../error-responses.ts';
import { toParams } from '../graphql-route.ts';
import { SOCKET_ACCEPTS } from '../media-type.ts';
import type { SocketCaller } from './caller.ts';
import { toComplete, toError, toNext } from './messages.ts';

/** One operation of a socket. */
export type SocketOperation = ReturnType<typeof runOperation>;

/** Called as an operation proceeds. */
interface OperationEvents {
  /** Sends a message, unless the operation is over; resolves when the connection has taken it. */
  readonly send: (message: string) => Promise<void>;
  /** A subscription has begun: from now on it waits most of the time. */
  readonly begun: () => void;
  /** The last message has been sent, or nothing more will be. */
  readonly ended: (hadBegun: boolean) => void;
  /** The client left too much unread. */
  readonly overrun: () => void;
}

/** Runs what a client subscribes to: a subscription, or a query or mutation, which has one result. */
export function runOperation(
  { id, payload }: { readonly id: string; readonly payload: object },
  caller: SocketCaller,
  lifetime: Lifetime,
  context: HttpContext,
  { send, begun, ended, overrun }: OperationEvents,
) {
  let results: ResultStream | null = null;
  let isCancelled = false;

  /** Takes a promise, because an open subscription would keep the payload, which may be long. */
  async function run(
    answering: Promise<OperationResponse | ResultStream>,
  ): Promise<void> {
    try {
      const answer = await answering;
      if (!isStream(answer)) return await sendAnswer(answer);
      results = answer;
      answer.onOverrun(overrun);
      if (isCancelled) answer.end('left');
      begun();
      await sendResults(answer);
    } catch (error) {
      context.failed(caller.id, error);
      await send(toError(id, toErrors(500).errors));
    } finally {
      lifetime.abort(IS_OVER);
      ended(results !== null);
    }
  }

  async function sendAnswer({ status, body }: OperationResponse): Promise<void> {
    // Any other status: the operation was refused, and nothing was executed.
    if (status !== 200) return await send(toError(id, errorsOf(JSON.parse(body))));
    await send(toNext(id, body.trimEnd()));
    await send(toComplete(id));
  }

  async function sendResults(stream: ResultStream): Promise<void> {
    for await (const result of stream) {
      // No event, but the error that ends it.
      if (result.data === undefined) return await send(toError(id, errorsOf(result)));
      await send(toNext(id, JSON.stringify(result)));
    }
    await send(toComplete(id));
  }

  void run(answerOnce(payload, lifetime, caller, context));
  return {
    /** Its client, or the connection, has left. */
    cancel(): void {
      isCancelled = true;
      lifetime.abort(IS_OVER);
      results?.end('left');
    },
    /** Nothing more of it is sent. */
    drain: (): void => results?.end('drained'),
  };
}

/** Ends at the deadline; a subscription that has begun has none. */
async function answerOnce(
  payload: object,
  lifetime: Lifetime,
  { name, address, ...caller }: SocketCaller,
  { subscribe, callerOf }: HttpContext,
): Promise<OperationResponse | ResultStream> {
  try {
    return await subscribe({
      ...caller,
      caller: callerOf(name, address),
      accepts: SOCKET_ACCEPTS,
      params: toParams('POST', '', asSent(payload)),
      lifetime,
    });
  } finally {
    lifetime.stopDeadline();
  }
}

/** The text of a persisted operation is empty over a WebSocket, and missing over HTTP. */
function asSent(payload: object): unknown {
  const { query, ...rest } = payload as { readonly query?: unknown };
  return query === '' ? rest : payload;
}

const errorsOf = ({ errors = [] }: { readonly errors?: readonly unknown[] }) => errors;
