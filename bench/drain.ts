import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startUpstream } from '../test/support/upstream.ts';
import { wireMessage } from '../test/support/wire.ts';
import { startGateway } from './process.ts';

/** How operations ended that were sent around a SIGTERM under load. */
export interface DrainResult {
  readonly answered: number;
  /** The gateway had called the service for them and sent no answer. */
  readonly lost: number;
  /** Sent over a keep-alive connection that closed before the gateway called the service. */
  readonly cutOff: number;
  /** Sent over a new connection that the gateway never accepted, because its listener had closed. */
  readonly neverAccepted: number;
  readonly status: number | null;
  readonly tookMs: number;
}

type Outcome = 'answered' | 'failed' | 'refused' | 'reset';

const CLIENTS = 30;
const SLOWEST_CALL_MS = 40;
/** How long the gateway is under load before SIGTERM. Unit: milliseconds. */
const BEFORE_MS = 400;

/** Sends SIGTERM while clients with keep-alive connections send operations without pauses, until the port is closed. */
export async function measureDrain(): Promise<DrainResult> {
  await using upstream = await startUpstream(({ line }) => ({
    body: wireMessage(line.split('/').at(-1) ?? ''),
    delayMs: Math.random() * SLOWEST_CALL_MS,
  }));
  await using gateway = await startGateway(upstream.url);
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const outcomes = new Map<string, Outcome>();
  const client = async () => {
    for (let outcome: Outcome = 'answered'; outcome !== 'refused'; ) {
      const id = `m${outcomes.size}`;
      outcomes.set(id, 'failed');
      outcome = await ask(gateway.url, { id, agent });
      outcomes.set(id, outcome);
    }
  };

  const clients = Array.from({ length: CLIENTS }, client);
  await sleep(BEFORE_MS);
  const end = await gateway.terminate();
  await Promise.all(clients);
  agent.destroy();

  const begun = new Set(upstream.lines().map((line) => line.split('/').at(-1)));
  const count = (is: (outcome: Outcome, id: string) => boolean) =>
    [...outcomes].filter(([id, outcome]) => is(outcome, id)).length;
  return {
    ...end,
    answered: count((outcome) => outcome === 'answered'),
    lost: count((outcome, id) => outcome !== 'answered' && begun.has(id)),
    cutOff: count((outcome, id) => outcome === 'failed' && !begun.has(id)),
    neverAccepted: count((outcome, id) => outcome === 'reset' && !begun.has(id)),
  };
}

/** Sends one operation. The answer must hold the message that it asks for. */
function ask(url: string, { id, agent }: { id: string; agent: Agent }): Promise<Outcome> {
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
