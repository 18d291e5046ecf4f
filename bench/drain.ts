import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startUpstream } from '../test/support/upstream.ts';
import { wireMessage } from '../test/support/wire.ts';
import { startGatewayProcess } from './gateway-process.ts';

/** What became of the operations that were under way, or sent, while the gateway was told to end. */
export interface DrainResult {
  readonly answered: number;
  /** The gateway had begun them, for the service was asked, and gave no answer. */
  readonly lost: number;
  /** Sent over a kept connection, and cut off before the gateway had begun them. */
  readonly cutOff: number;
  /** Sent over a new connection that the gateway never took up, for its listener was closed. */
  readonly neverAccepted: number;
  readonly status: number | null;
  readonly tookMs: number;
}

type Fate = 'answered' | 'failed' | 'refused' | 'reset';

const CLIENTS = 30;
const SLOWEST_CALL_MS = 40;
/** How long the load lasts before the signal. Unit: milliseconds. */
const BEFORE_MS = 400;

/** SIGTERM while keep-alive clients ask, each again as soon as it is answered, until nobody listens any more. */
export async function measureDrain(): Promise<DrainResult> {
  await using upstream = await startUpstream(({ line }) => ({
    body: wireMessage(line.split('/').at(-1) ?? ''),
    delayMs: Math.random() * SLOWEST_CALL_MS,
  }));
  await using gateway = await startGatewayProcess(upstream.url);
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const fates = new Map<string, Fate>();
  const client = async () => {
    for (let fate: Fate = 'answered'; fate !== 'refused'; ) {
      const id = `m${fates.size}`;
      fates.set(id, 'failed');
      fate = await ask(gateway.url, { id, agent });
      fates.set(id, fate);
    }
  };

  const clients = Array.from({ length: CLIENTS }, client);
  await sleep(BEFORE_MS);
  const end = await gateway.terminate();
  await Promise.all(clients);
  agent.destroy();

  const begun = new Set(upstream.lines().map((line) => line.split('/').at(-1)));
  const count = (is: (fate: Fate, id: string) => boolean) =>
    [...fates].filter(([id, fate]) => is(fate, id)).length;
  return {
    ...end,
    answered: count((fate) => fate === 'answered'),
    lost: count((fate, id) => fate !== 'answered' && begun.has(id)),
    cutOff: count((fate, id) => fate === 'failed' && !begun.has(id)),
    neverAccepted: count((fate, id) => fate === 'reset' && !begun.has(id)),
  };
}

/** One operation; an answer must hold what was asked for. */
function ask(url: string, { id, agent }: { id: string; agent: Agent }): Promise<Fate> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer t' };
    const sent = request(`${url}/graphql`, { method: 'POST', headers, agent });
    sent.once('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED') resolve('refused');
      else resolve(sent.reusedSocket ? 'failed' : 'reset');
    });
    sent.once('response', (response) => {
      let text = '';
      response.once('error', () => resolve('failed'));
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.once('end', () =>
        resolve(text.includes(`text ${id}"`) ? 'answered' : 'failed'),
      );
    });
    sent.end(JSON.stringify({ query: `{ message(id: "${id}") { message } }` }));
  });
}
