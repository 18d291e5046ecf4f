import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRandom } from '../../../src/embedded/sample/random.ts';
import { type Answer, FAULTS, type Fault, respond } from './faults.ts';

/** One write as it arrived. */
export interface ReceivedWrite {
  /** `POST /v1/messages`. */
  readonly line: string;
  readonly form: string;
  /** Whether the service behind carried it out. */
  readonly carriedOut: boolean;
}

export interface FaultyService {
  readonly url: string;
  /** The share of calls that get one of the faults; 0 ends them. */
  share: number;
  readonly injected: ReadonlyMap<Fault, number>;
  readonly calls: number;
  readonly writes: readonly ReceivedWrite[];
  /** The most bytes that anybody took of one answer. */
  readonly longestAnswer: number;
  [Symbol.asyncDispose](): Promise<void>;
}

const EVERY_KIND = Object.keys(FAULTS) as [Fault, ...Fault[]];

export interface Weather {
  readonly seed: number;
  /** The share of calls that get a fault. */
  readonly share: number;
  /** Which faults there are; default: every one. */
  readonly kinds?: readonly [Fault, ...Fault[]];
}

/** Most faults strike before the service has heard of the call or after it did it; these answers would be lies. */
const REACHES: Partial<Record<Fault, boolean>> = {
  late: true,
  closing: true,
  429: false,
};

/** A service that fails at random, by a seed: a proxy in front of a good one at `target`. */
export async function startFaultyService(
  target: string,
  { seed, share, kinds = EVERY_KIND }: Weather,
): Promise<FaultyService> {
  const random = createRandom(seed);
  const agent = new Agent({ keepAlive: true });
  const injected = new Map<Fault, number>();
  const writes: ReceivedWrite[] = [];
  const state = { share, calls: 0, longestAnswer: 0 };

  const server = createServer({ keepAlive: true }, async (incoming, response) => {
    const { socket } = incoming;
    const before = socket.bytesWritten;
    // A connection that carries a second call meanwhile has ended the first.
    response.once('close', () => {
      state.longestAnswer = Math.max(state.longestAnswer, socket.bytesWritten - before);
    });
    const form = await readBody(incoming);
    state.calls += 1;
    const fault = random.chance(state.share) ? random.pick(kinds) : null;
    if (fault !== null) injected.set(fault, (injected.get(fault) ?? 0) + 1);
    const reaches = fault === null || (REACHES[fault] ?? random.chance(0.5));
    const chance = random.below(1000) / 1000;

    const answer = reaches ? await forward(incoming, form) : NOT_ASKED;
    if (incoming.method !== 'GET') {
      const line = `${incoming.method} ${incoming.url}`;
      writes.push({ line, form, carriedOut: reaches && answer.status < 300 });
    }
    if (fault === null) respond(response, answer);
    else await FAULTS[fault](response, answer, chance);
  });

  async function forward(incoming: IncomingMessage, form: string): Promise<Answer> {
    const { method, url, headers } = incoming;
    const asked = request(`${target}${url}`, { method, headers, agent }).end(form);
    const [answer] = await new Promise<[IncomingMessage]>((resolve, reject) => {
      asked.once('response', (message) => resolve([message])).once('error', reject);
    });
    return { status: answer.statusCode ?? 0, text: await readBody(answer) };
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}`,
    injected,
    writes,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** What a spoilt answer would have been, had the service been asked. */
const NOT_ASKED: Answer = { status: 200, text: '{"has_more":false,"data":[]}' };

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
