/**
 * The load generator, in a process of its own. It keeps connections open, gives each request a token of its own, and
 * compares each answer with the first one, byte for byte. It takes Orders and answers each with a Result or a Failure.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, openConnection } from './client.ts';

export interface RequestTemplate {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

export type Order = {
  readonly host: string;
  readonly port: number;
  readonly request: RequestTemplate;
} & (
  | { readonly kind: 'first' } // opens the connections, asks once on each, and reports the answer
  | { readonly kind: 'closed'; readonly maxOperations: number; readonly maxMs: number }
  | { readonly kind: 'open'; readonly perSecond: number; readonly maxMs: number }
  | { readonly kind: 'burst'; readonly operations: number }
);

export interface Result {
  readonly operations: number;
  readonly tookMs: number;
  readonly answer: string;
  /** For `open` and `burst`, ascending. Unit: milliseconds. */
  readonly latencies: readonly number[];
}

export interface Failure {
  readonly error: string;
}

/** What browsers and servers keep open to a busy gateway. */
const CONNECTIONS = 32;
/** An answer that takes longer fails the run. Unit: milliseconds. */
const ANSWER_MS = 60_000;

const idle = new Map<number, Connection[]>();
const firstAnswers = new Map<string, Buffer>();
const prefix = randomBytes(8).toString('hex');
let tokens = 0;

function write({ method, path, body }: RequestTemplate): () => string {
  const length = body === '' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  const type = body === '' ? '' : 'content-type: application/json\r\n';
  const head =
    `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${type}${length}` +
    'accept: application/graphql-response+json,application/json;q=0.9\r\nauthorization: Bearer ';
  return () => {
    tokens += 1;
    return `${head}${prefix}${tokens}\r\n\r\n${body}`;
  };
}

async function take({ host, port }: Order): Promise<Connection> {
  const list = idle.get(port) ?? [];
  idle.set(port, list);
  for (;;) {
    const connection = list.pop();
    if (connection === undefined) return openConnection(host, port);
    if (connection.isOpen) return connection;
  }
}

const giveBack = ({ port }: Order, connection: Connection) =>
  idle.get(port)?.push(connection);

/** Makes a function that asks once and checks the answer. */
function asker({ port, request }: Order): (connection: Connection) => Promise<void> {
  const next = write(request);
  const key = `${port} ${request.method} ${request.path} ${request.body}`;
  return async (connection) => {
    const { status, body } = await connection.ask(next());
    const first = firstAnswers.get(key);
    if (first === undefined) firstAnswers.set(key, Buffer.from(body));
    else if (status === 200 && first.equals(body)) return;
    if (status !== 200) throw new Error(`status ${status}: ${body}`);
    if (first !== undefined) throw new Error(`another answer than the first: ${body}`);
  };
}

const answerTo = ({ port, request }: Order): string =>
  `${firstAnswers.get(`${port} ${request.method} ${request.path} ${request.body}`) ?? ''}`;

async function run(order: Order): Promise<Result> {
  const ask = asker(order);
  if (order.kind === 'first') {
    const connections = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => take(order)),
    );
    await Promise.all(connections.map(ask));
    for (const connection of connections) giveBack(order, connection);
    return toResult(order, CONNECTIONS, 0, []);
  }
  const began = performance.now();
  if (order.kind === 'closed') {
    let left = order.maxOperations;
    let operations = 0;
    const work = async () => {
      const connection = await take(order);
      while (left > 0 && performance.now() - began < order.maxMs) {
        left -= 1;
        await ask(connection);
        operations += 1;
      }
      giveBack(order, connection);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    return toResult(order, operations, performance.now() - began, []);
  }
  const latencies: number[] = [];
  const askOne = async () => {
    const connection = await take(order);
    const sent = performance.now();
    await ask(connection);
    latencies.push(performance.now() - sent);
    giveBack(order, connection);
  };
  await (order.kind === 'open' ? atRate(order, askOne) : burst(order, askOne));
  return toResult(order, latencies.length, performance.now() - began, latencies);
}

/** Sends at a fixed rate, whether or not answers have come. */
async function atRate(
  { perSecond, maxMs }: Extract<Order, { kind: 'open' }>,
  askOne: () => Promise<void>,
): Promise<void> {
  const began = performance.now();
  const running: Promise<void>[] = [];
  const count = Math.round((maxMs / 1000) * perSecond);
  for (let index = 0; index < count; index += 1) {
    const wait = began + (index * 1000) / perSecond - performance.now();
    if (wait > 0) await sleep(wait);
    running.push(askOne());
  }
  await Promise.all(running);
}

/** Sends all at once, over connections that are open already. */
async function burst(
  order: Extract<Order, { kind: 'burst' }>,
  askOne: () => Promise<void>,
): Promise<void> {
  const connections: Connection[] = [];
  while (connections.length < order.operations) connections.push(await take(order));
  for (const connection of connections) giveBack(order, connection);
  await Promise.all(Array.from({ length: order.operations }, askOne));
}

const toResult = (
  order: Order,
  operations: number,
  tookMs: number,
  latencies: number[],
): Result => ({
  operations,
  tookMs,
  answer: answerTo(order),
  latencies: latencies.sort((a, b) => a - b),
});

process.on('message', async (order: Order) => {
  const limit = 'maxMs' in order ? order.maxMs + ANSWER_MS : ANSWER_MS;
  const late = setTimeout(() => fail(`no answer in ${ANSWER_MS} ms`), limit);
  const fail = (error: string) => process.send?.({ error } satisfies Failure);
  try {
    process.send?.(await run(order));
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
  } finally {
    clearTimeout(late);
  }
});
process.on('disconnect', () => process.exit(0));
process.send?.({});
