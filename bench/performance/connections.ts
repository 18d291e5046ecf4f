/** The load generator's connections, and its requests: each has a token of its own, and each answer is checked. */
import { randomBytes } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Answer, type Connection, openConnection } from './client.ts';
import type { Order, RequestTemplate } from './orders.ts';

/** Servers close idle connections, the first after five seconds. Older ones are not used. Unit: milliseconds. */
const MAX_IDLE_MS = 2000;

interface Idle {
  readonly connection: Connection;
  readonly since: number;
}

const { ACCEPT_ENCODING } = process.env;
const ACCEPTED = ACCEPT_ENCODING ? `accept-encoding: ${ACCEPT_ENCODING}\r\n` : '';

const idle = new Map<number, Idle[]>();
const firstAnswers = new Map<string, Buffer>();
const prefix = randomBytes(8).toString('hex');
let tokens = 0;

export async function take({ host, port }: Order): Promise<Connection> {
  const list = idle.get(port) ?? [];
  for (;;) {
    const last = list.pop();
    if (last === undefined) return openConnection(host, port);
    const isFresh = performance.now() - last.since < MAX_IDLE_MS;
    if (isFresh && last.connection.isOpen) return last.connection;
    last.connection.close();
  }
}

export function giveBack({ port }: Order, connection: Connection): void {
  const list = idle.get(port) ?? [];
  list.push({ connection, since: performance.now() });
  idle.set(port, list);
}

/** Opens connections until `count` of them can be taken. */
export async function openConnections(order: Order, count: number): Promise<void> {
  const connections: Connection[] = [];
  while (connections.length < count) connections.push(await take(order));
  for (const connection of connections) giveBack(order, connection);
}

/** Makes a function that writes a request, with a token that was never sent before if none is given. */
export function writer({ method, path, body }: RequestTemplate) {
  const length = body === '' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  const type = body === '' ? '' : 'content-type: application/json\r\n';
  const head =
    `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${type}${length}` +
    `accept: application/graphql-response+json,application/json;q=0.9\r\n${ACCEPTED}authorization: Bearer `;
  return (token?: string): string => {
    tokens += 1;
    return `${head}${prefix}${token ?? tokens}\r\n\r\n${body}`;
  };
}

const keyOf = ({ port, request }: Order) =>
  `${port} ${request.method} ${request.path} ${request.body}`;

/** The first answer that the target gave to this request. */
export function firstAnswer(order: Order): string {
  const bytes = firstAnswers.get(keyOf(order));
  if (bytes === undefined) return '';
  // JSON begins with a bracket, and gzip with this byte.
  if (ACCEPTED === '' || bytes[0] === '{'.charCodeAt(0)) return `${bytes}`;
  return `${bytes[0] === 0x1f ? gunzipSync(bytes) : brotliDecompressSync(bytes)}`;
}

/**
 * Makes a function that asks once. It throws if the answer is not byte for byte the first one, unless the target
 * refused the operation because it had too many: then it answers false.
 */
export function asker(order: Order) {
  const next = writer(order.request);
  const key = keyOf(order);
  return async (connection: Connection, token?: string): Promise<boolean> => {
    const answer = await connection.ask(next(token));
    const first = firstAnswers.get(key);
    if (answer.status === 200 && first?.equals(answer.body)) return true;
    if (isRefusal(answer)) return false;
    if (answer.status !== 200) throw new Error(`status ${answer.status}: ${answer.body}`);
    if (first !== undefined) throw new Error(`another answer: ${answer.body}`);
    firstAnswers.set(key, Buffer.from(answer.body));
    return true;
  };
}

const isRefusal = ({ status, body }: Answer) =>
  status === 503 || body.includes('"code":"OVERLOADED"');
