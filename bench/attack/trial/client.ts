import { Agent, type IncomingMessage, request as sendRequest } from 'node:http';
import type { Transport } from '../genome/genome.ts';
import type { AttackRequest } from '../genome/request.ts';
import { deliver, HOLDS_FOR } from './deliver.ts';
import { sendOverSocket } from './sockets.ts';

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
/** How much of an answer is searched for an error code. Unit: bytes. */
const SEARCHED = 2000;

/** Sends one request over a connection of its own, and treats the answer as its client does. */
export function sendAttack(
  url: string,
  request: AttackRequest,
  transport: Transport,
): Promise<Seen> {
  const { over, delivery } = transport;
  if (over !== 'HTTP') return sendOverSocket(url, request, transport);
  if (delivery !== 'whole' && request.body.length > 0)
    return deliver(url, request, delivery);
  return sendWhole(url, request, transport);
}

function sendWhole(
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
