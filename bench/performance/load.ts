/**
 * The load generator, in a process of its own. It takes Orders, and answers each with a Result or a Failure. Each answer
 * must be the first one to its request, byte for byte.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Answer, type Connection, openConnection } from './client.ts';
import type { Failure, Load, Order, RequestTemplate, Result } from './orders.ts';

/** What servers and browsers keep open to a busy gateway. */
const CONNECTIONS = 32;
/** At most this many connections begin in one moment. */
const MOST_BEGUN = 100;
/** A thousand users, who come again and again. A prime number, so that each asks for another object every time. */
const TOKENS = 997;
/** An answer that takes longer fails the run. Unit: milliseconds. */
const ANSWER_MS = 60_000;
/** Servers close idle connections, the first after five seconds. Older ones are not used. Unit: milliseconds. */
const MAX_IDLE_MS = 2000;

const prefix = randomBytes(8).toString('hex');
let operationsSent = 0;

interface Idle {
  readonly connection: Connection;
  readonly since: number;
}
const idle = new Map<number, Idle[]>();

async function take(port: number): Promise<Connection> {
  const list = idle.get(port) ?? [];
  for (;;) {
    const last = list.pop();
    if (last === undefined) return openConnection(port);
    const isFresh = performance.now() - last.since < MAX_IDLE_MS;
    if (isFresh && last.connection.isOpen) return last.connection;
    last.connection.close();
  }
}

function giveBack(port: number, connection: Connection): void {
  const list = idle.get(port) ?? [];
  list.push({ connection, since: performance.now() });
  idle.set(port, list);
}

/** A request to one target, and the first answer to it. */
interface Question {
  readonly head: string;
  readonly body: string;
  first: Answer | null;
}
const questions = new Map<string, Question>();

function toQuestion(
  { method, path, body }: RequestTemplate,
  { port, acceptEncoding }: Order,
): Question {
  const key = `${port} ${acceptEncoding} ${method} ${path} ${body}`;
  const known = questions.get(key);
  if (known !== undefined) return known;
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    'accept: application/graphql-response+json,application/json;q=0.9',
  ];
  if (acceptEncoding !== '') lines.push(`accept-encoding: ${acceptEncoding}`);
  if (body !== '') {
    lines.push('content-type: application/json');
    lines.push(`content-length: ${Buffer.byteLength(body)}`);
  }
  const head = `${lines.join('\r\n')}\r\nauthorization: Bearer ${prefix}`;
  const question = { head, body, first: null };
  questions.set(key, question);
  return question;
}

/** Asks once. Returns false if the target refused the operation because it had too many. */
async function ask(connection: Connection, question: Question): Promise<boolean> {
  operationsSent += 1;
  const answer = await connection.ask(
    `${question.head}${operationsSent % TOKENS}\r\n\r\n${question.body}`,
  );
  if (answer.status === 200 && question.first?.body.equals(answer.body)) return true;
  if (answer.status === 503 || answer.body.includes('"code":"OVERLOADED"')) return false;
  if (answer.status !== 200) throw new Error(`status ${answer.status}: ${answer.body}`);
  if (question.first !== null) throw new Error(`another answer: ${toText(answer)}`);
  question.first = { ...answer, body: Buffer.from(answer.body) };
  return true;
}

function toText({ body, encoding }: Answer): string {
  if (encoding === 'br') return `${brotliDecompressSync(body)}`;
  return encoding === 'gzip' ? `${gunzipSync(body)}` : `${body}`;
}

type Of<Kind extends Load['kind']> = Extract<Load, { kind: Kind }>;

/** Asks the questions of an order in turns. */
function createAsker(order: Order) {
  const all = order.requests.map((request) => toQuestion(request, order));
  const counts = { operations: 0, refused: 0 };
  const askNext = async (connection: Connection) => {
    const question = all[counts.operations % all.length] as Question;
    counts.operations += 1;
    if (!(await ask(connection, question))) counts.refused += 1;
  };
  const answers = () => all.map(({ first }) => (first === null ? '' : toText(first)));
  return { counts, askNext, answers };
}
type Asker = ReturnType<typeof createAsker>;

async function closed(
  port: number,
  { counts, askNext }: Asker,
  { maxOperations, maxMs, connections }: Of<'closed'>,
): Promise<number[]> {
  const latencies: number[] = [];
  let until = Number.POSITIVE_INFINITY;
  // At least one, however long the connections take.
  const isOver = () =>
    counts.operations > 0 &&
    (counts.operations >= maxOperations || performance.now() >= until);
  const isMeasured = () => connections !== undefined && Number.isFinite(until);
  const begin = async (): Promise<Connection> => {
    const connection = await take(port);
    if (!isOver()) await askNext(connection);
    return connection;
  };
  const goOn = async (first: Connection) => {
    let connection = first;
    while (!isOver()) {
      if (!connection.isOpen) connection = await take(port);
      const sent = performance.now();
      await askNext(connection);
      if (isMeasured()) latencies.push(performance.now() - sent);
    }
    giveBack(port, connection);
  };
  // Not thousands of new connections in one moment, which no server meets in that way; and all before the load, because a busy gateway
  // reads a new connection after those of callers that it knows.
  const begun: Connection[] = [];
  for (let left = connections ?? CONNECTIONS; left > 0; left -= MOST_BEGUN) {
    const some = Array.from({ length: Math.min(left, MOST_BEGUN) }, begin);
    begun.push(...(await Promise.all(some)));
  }
  until = performance.now() + maxMs;
  await Promise.all(begun.map(goOn));
  return latencies;
}

/** Returns the latencies. */
async function open(
  port: number,
  { askNext }: Asker,
  { perSecond, maxMs }: Of<'open'>,
): Promise<number[]> {
  const latencies: number[] = [];
  const failures: unknown[] = [];
  const askOnce = async () => {
    const connection = await take(port);
    const sent = performance.now();
    await askNext(connection);
    latencies.push(performance.now() - sent);
    giveBack(port, connection);
  };
  const began = performance.now();
  const operations = Math.max(1, Math.round((maxMs / 1000) * perSecond));
  const running: Promise<void>[] = [];
  for (let index = 0; index < operations && failures.length === 0; index += 1) {
    const wait = began + (index * 1000) / perSecond - performance.now();
    if (wait > 0) await sleep(wait);
    running.push(askOnce().catch((error) => void failures.push(error)));
  }
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
  return latencies;
}

async function run(order: Order): Promise<Result> {
  const { port, load } = order;
  const asker = createAsker(order);
  const began = performance.now();
  const latencies = await (load.kind === 'closed'
    ? closed(port, asker, load)
    : open(port, asker, load));
  const tookMs = performance.now() - began;
  return { ...asker.counts, tookMs, latencies, answers: asker.answers() };
}

process.on('message', async (order: Order) => {
  const fail = (error: string) => process.send?.({ error } satisfies Failure);
  const late = setTimeout(
    () => fail(`no answer in ${ANSWER_MS} ms`),
    order.load.maxMs + ANSWER_MS,
  );
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
