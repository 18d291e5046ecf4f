/** The load generator, in a process of its own. It takes Orders, and answers each with a Result or a Failure. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  asker,
  firstAnswer,
  giveBack,
  openConnections,
  take,
  writer,
} from './connections.ts';
import {
  CONNECTIONS,
  CURSOR,
  type Failure,
  type Load,
  type Order,
  type Result,
} from './orders.ts';

/** An answer that takes longer fails the run. Unit: milliseconds. */
const ANSWER_MS = 60_000;

type Counts = Partial<Result> & { readonly operations: number };
type Of<Kind extends Load['kind']> = Extract<Load, { kind: Kind }>;

function start(order: Order): Promise<Counts> {
  const { load } = order;
  switch (load.kind) {
    case 'burst':
      return burst(order, load.operations);
    case 'closed':
      return closed(order, load);
    case 'open':
      return open(order, load);
    case 'walk':
      return walk(order);
  }
}

async function closed(order: Order, { maxOperations, maxMs }: Of<'closed'>) {
  const ask = asker(order);
  const until = performance.now() + maxMs;
  let left = maxOperations;
  let operations = 0;
  const work = async () => {
    const connection = await take(order);
    while (left > 0 && performance.now() < until) {
      left -= 1;
      if (!(await ask(connection))) throw new Error('the target refused an operation');
      operations += 1;
    }
    giveBack(order, connection);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return { operations };
}

async function burst(order: Order, operations: number) {
  await openConnections(order, operations);
  const { latencies, askOne } = timed(order);
  // The tokens of each burst are the same: a gateway treats callers that it does not know as one.
  await Promise.all(Array.from({ length: operations }, (_, at) => askOne(`burst${at}`)));
  return { operations, latencies, refused: operations - latencies.length };
}

async function open(order: Order, { perSecond, maxMs }: Of<'open'>) {
  const { latencies, askOne } = timed(order);
  const began = performance.now();
  const operations = Math.round((maxMs / 1000) * perSecond);
  const failures: unknown[] = [];
  const running: Promise<void>[] = [];
  for (let index = 0; index < operations && failures.length === 0; index += 1) {
    const wait = began + (index * 1000) / perSecond - performance.now();
    if (wait > 0) await sleep(wait);
    running.push(askOne().catch((error) => void failures.push(error)));
  }
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
  return { operations, latencies };
}

/** A function that asks once on a connection of its own, and the latencies of its good answers. */
function timed(order: Order) {
  const ask = asker(order);
  const latencies: number[] = [];
  const askOne = async (token?: string) => {
    const connection = await take(order);
    const sent = performance.now();
    if (await ask(connection, token)) latencies.push(performance.now() - sent);
    giveBack(order, connection);
  };
  return { latencies, askOne };
}

/** Reads a list from its head to its end, over one connection. */
async function walk(order: Order) {
  const { request } = order;
  const connection = await take(order);
  let operations = 0;
  let items = 0;
  for (let cursor: string | null = null, hasNext = true; hasNext; ) {
    const body = request.body.replace(CURSOR, JSON.stringify(cursor));
    const answer = await connection.ask(writer({ ...request, body })());
    const { data, errors } = JSON.parse(answer.body.toString());
    if (errors !== undefined) throw new Error(`an answer with errors: ${answer.body}`);
    operations += 1;
    items += data.messages.nodes.length;
    ({ endCursor: cursor, hasNextPage: hasNext } = data.messages.pageInfo);
  }
  giveBack(order, connection);
  return { operations, items };
}

async function run(order: Order): Promise<Result> {
  const began = performance.now();
  const counts = await start(order);
  return {
    tookMs: performance.now() - began,
    answer: firstAnswer(order),
    refused: 0,
    items: 0,
    ...counts,
    latencies: counts.latencies?.toSorted((a, b) => a - b) ?? [],
  };
}

process.on('message', async (order: Order) => {
  const maxMs = 'maxMs' in order.load ? order.load.maxMs : 0;
  const late = setTimeout(() => fail(`no answer in ${ANSWER_MS} ms`), maxMs + ANSWER_MS);
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
