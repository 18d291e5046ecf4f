import { Agent, get, type IncomingMessage, request as sendRequest } from 'node:http';
import type { Transport } from '../genome/genome.ts';
import type { AttackRequest } from '../genome/request.ts';

/** What one client saw. */
export interface Seen {
  /** Null if no answer began. */
  readonly status: number | null;
  /** As it arrived, so compressed if it was. Unit: bytes. */
  readonly answerBytes: number;
  /** The first error code of an answer that was not compressed; null if there is none in its beginning. */
  readonly code: string | null;
  readonly ms: number;
  /** No answer in the time that an operation may take, and some more. */
  readonly isLate: boolean;
}

/** OPERATION_TIMEOUT_MS is 30 seconds by default. Unit: milliseconds. */
const ANSWERED_WITHIN = 60_000;
/** How long a client that never reads keeps its connection. Unit: milliseconds. */
const HOLDS_FOR = 1200;
/** How much of an answer is searched for an error code. Unit: bytes. */
const SEARCHED = 2000;

/** Sends one request over a connection of its own, and treats the answer as its client does. */
export function sendAttack(
  url: string,
  { method, path, headers, setHost, body }: AttackRequest,
  { client, leavesAfter }: Pick<Transport, 'client' | 'leavesAfter'>,
): Promise<Seen> {
  const began = performance.now();
  const agent = new Agent({ keepAlive: false });
  const { promise, resolve } = Promise.withResolvers<Seen>();
  let status: number | null = null;
  let answerBytes = 0;
  let begin = '';
  let isLate = false;
  const finish = () => {
    for (const timer of timers) clearTimeout(timer);
    const [, code = null] = /"code":"(\w+)"/.exec(begin) ?? [];
    resolve({ status, answerBytes, code, ms: performance.now() - began, isLate });
    request.destroy();
    agent.destroy();
  };
  const timers = [
    setTimeout(() => {
      isLate = true;
      finish();
    }, ANSWERED_WITHIN),
  ];
  const request = sendRequest(
    `${url}${path}`,
    { method, headers, setHost, agent },
    (response: IncomingMessage) => {
      status = response.statusCode ?? null;
      if (client === 'never reads') {
        response.pause();
        timers.push(setTimeout(finish, HOLDS_FOR));
        return;
      }
      response.on('data', (part: Buffer) => {
        answerBytes += part.length;
        if (begin.length < SEARCHED) begin += part.toString('latin1', 0, SEARCHED);
      });
      response.once('close', finish);
      response.once('error', finish);
    },
  );
  request.on('error', finish);
  if (client === 'leaves') timers.push(setTimeout(finish, leavesAfter));
  // Node's client would wait for "100 Continue", which never comes after another expectation.
  request.flushHeaders();
  request.end(body);
  return promise;
}

/** Asks for /healthz, again and again, as another client. */
export interface Bystander {
  /** Returns the longest wait. Unit: milliseconds. */
  stop(): Promise<number>;
}

/** Unit: milliseconds. */
const BYSTANDER_PERIOD = 15;

export function startBystander(url: string): Bystander {
  const agent = new Agent({ keepAlive: true });
  let longest = 0;
  let isOver = false;
  async function run(): Promise<void> {
    while (!isOver) {
      const began = performance.now();
      await askHealth(url, agent);
      longest = Math.max(longest, performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, BYSTANDER_PERIOD));
    }
  }
  const running = run();
  return {
    async stop() {
      isOver = true;
      await running;
      agent.destroy();
      return longest;
    },
  };
}

const askHealth = (url: string, agent: Agent): Promise<void> =>
  new Promise((resolve) => {
    const signal = AbortSignal.timeout(ANSWERED_WITHIN);
    get(`${url}/healthz`, { agent, signal }, (response) => {
      response.resume().once('close', resolve);
    }).once('error', () => resolve());
  });
