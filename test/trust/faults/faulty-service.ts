import { Agent, request, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../../../src/embedded/sample/random.ts';
import { startEmbeddedService } from '../../../src/embedded/service.ts';
import { type Respond, readText, send, startUpstream } from '../../support/upstream.ts';
import { readWorld } from '../oracle/world.ts';
import { type Answer, EVERY_FAULT, FAULTS, type Fault, type Faults } from './faults.ts';

/** A write as it arrived at the proxy. */
export interface ReceivedWrite {
  /** `POST /v1/messages`. */
  readonly line: string;
  readonly form: string;
  /** Whether the embedded service carried it out. */
  readonly carriedOut: boolean;
}

/** Whether a fault happens after the service carried out the call. The others do so in half of all cases. */
const AFTER_CALL: Partial<Record<Fault, boolean>> = {
  late: true,
  closing: true,
  429: false,
};

/** Starts an embedded service behind a proxy that injects faults at random, reproducibly by `seed`. */
export async function startFaultyService({
  seed,
  share,
  kinds = EVERY_FAULT,
  latencyMs = 0,
}: {
  readonly seed: number;
  readonly share: number;
  readonly kinds?: Faults;
  /** What each call takes; the service carries it out in the middle. Unit: milliseconds. */
  readonly latencyMs?: number;
}) {
  const service = await startEmbeddedService();
  /** The token of a sample user, and that user's messages and conversations at the start. */
  const token = service.sampleUsers[0]?.token ?? '';
  const world = await readWorld(service.url, token);
  const random = createRandom(seed);
  const agent = new Agent({ keepAlive: true });
  /** How many faults of each kind were injected. */
  const injected = new Map<Fault, number>();
  const writes: ReceivedWrite[] = [];
  /** The share of calls that get a fault, 0 to 1; and the most bytes that the gateway read of one answer. */
  const state = { share, longestAnswer: 0 };

  const forward: (...call: Parameters<Respond>) => Promise<Answer> = (call, headers) =>
    new Promise((resolve, reject) => {
      const [method, path] = call.line.split(' ');
      request(`${service.url}${path}`, { method, headers, agent })
        .once('error', reject)
        .once('response', async (response) =>
          resolve({ status: response.statusCode ?? 0, text: await readText(response) }),
        )
        .end(call.form);
    });

  /** Records how much of the answer the gateway reads. */
  function measure(response: ServerResponse): void {
    const { socket } = response;
    const before = socket?.bytesWritten ?? 0;
    response.once('close', () => {
      const written = (socket?.bytesWritten ?? 0) - before;
      state.longestAnswer = Math.max(state.longestAnswer, written);
    });
  }

  const proxy = await startUpstream(async (call, headers) => {
    const fault = random.chance(state.share) ? random.pick(kinds) : null;
    if (fault !== null) injected.set(fault, (injected.get(fault) ?? 0) + 1);
    const reaches = fault === null || (AFTER_CALL[fault] ?? random.chance(0.5));
    const chance = random.below(1000) / 1000;

    await sleep(latencyMs / 2);
    const answer = reaches ? await forward(call, headers) : NOT_CALLED;
    await sleep(latencyMs / 2);
    if (!call.line.startsWith('GET ')) {
      const { line, form } = call;
      writes.push({ line, form, carriedOut: reaches && answer.status < 300 });
    }
    return {
      write(response) {
        measure(response);
        const { status, text: body } = answer;
        const sent = fault === null ? { status, body } : FAULTS[fault](answer, chance);
        return send(response, sent);
      },
    };
  });

  return Object.assign(state, {
    url: proxy.url,
    token,
    world,
    injected,
    writes,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      agent.destroy();
      await service.close();
    },
  });
}

export type FaultyService = Awaited<ReturnType<typeof startFaultyService>>;

/** The answer to damage when the fault happens before the call. */
const NOT_CALLED: Answer = { status: 200, text: '{"has_more":false,"data":[]}' };
