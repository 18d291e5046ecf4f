import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Transport } from '../case.ts';
import type { AttackRequest } from '../request.ts';
import type { Seen } from './client.ts';

/** How long the attacker keeps a connection whose request or whose reading never ends. Unit: milliseconds. */
export const HOLDS_FOR = 1200;
/** More than the gateway runs at once for one socket. */
export const OPERATIONS = 40;
/** A ping is answered in this time, whatever else this socket does; other sockets' operations may delay it. Unit: milliseconds. */
const PONG_WITHIN = 3000;
const ANSWERED_WITHIN = 10_000;

/** Opens a WebSocket and says who it is; null if it is refused. */
async function open(url: string, authorization: unknown): Promise<WebSocket | null> {
  const socket = new WebSocket(
    `${url.replace('http', 'ws')}/graphql`,
    'graphql-transport-ws',
  );
  socket.on('error', () => {});
  const signal = AbortSignal.timeout(ANSWERED_WITHIN);
  try {
    await once(socket, 'open', { signal });
    socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization } }));
    return socket;
  } catch {
    socket.terminate();
    return null;
  }
}

/** The attack over one WebSocket: many operations at once, or a message that never ends. */
export async function sendOverSocket(
  url: string,
  { headers, body }: AttackRequest,
  { over, copies }: Pick<Transport, 'over' | 'copies'>,
): Promise<Seen> {
  const socket = await open(url, headers.authorization);
  const seen = { status: null, answerBytes: 0, code: null, isLate: false };
  if (socket === null) return seen;
  let answerBytes = 0;
  socket.on('message', (data: Buffer) => {
    answerBytes += data.length;
  });
  let isLate = false;
  if (over === 'unfinished frames') socket.send(body, { fin: false, binary: false });
  else {
    for (let id = 0; id < OPERATIONS; id += 1)
      socket.send(`{"type":"subscribe","id":"${id}","payload":${body}}`);
    isLate = copies === 1 && !(await answersPing(socket));
  }
  await sleep(HOLDS_FOR);
  socket.terminate();
  return { ...seen, status: 101, answerBytes, isLate };
}

async function answersPing(socket: WebSocket): Promise<boolean> {
  if (socket.readyState !== WebSocket.OPEN) return true;
  const signal = AbortSignal.timeout(PONG_WITHIN);
  const pong = once(socket, 'pong', { signal }).then(
    () => true,
    () => false,
  );
  // A gateway that closes the socket need not answer.
  const closed = once(socket, 'close').then(() => true);
  socket.ping();
  return Promise.race([pong, closed]);
}

/** Sockets that watch one conversation. Returns what closes them. */
export async function watch(
  url: string,
  token: string,
  count: number,
): Promise<() => void> {
  const query =
    'subscription { messageChanged(conversationId: "x1") { kind message { id } } }';
  const sockets = await Promise.all(
    Array.from({ length: count }, () => open(url, `Bearer ${token}`)),
  );
  for (const socket of sockets)
    socket?.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query } }));
  // They are subscribed when each has read its list.
  if (count > 0) await sleep(HOLDS_FOR);
  return () => {
    for (const socket of sockets) socket?.terminate();
  };
}
