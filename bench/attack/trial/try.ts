import { setTimeout as sleep } from 'node:timers/promises';
import type { GraphQLSchema } from 'graphql';
import { ask } from '../../../test/support/gateway.ts';
import type { Genome } from '../genome/genome.ts';
import { writeRequest } from '../genome/request.ts';
import { type AttackedGateway, startAttackedGateway } from './attacked-gateway.ts';
import { type Seen, sendAttack, startBystander } from './client.ts';
import type { AttackService } from './service.ts';

/** What one request, or a few copies of it, did to the gateway. */
export interface Figures {
  /** The longest the thread was busy without a pause, for each copy. Unit: milliseconds of the processor. */
  readonly blockMs: number;
  /** The longest time on the clock between two readings of the thread's time; other processes count too. Unit: milliseconds. */
  readonly wallMs: number;
  /** The longest that another client waited for /healthz. Unit: milliseconds. */
  readonly waitedMs: number;
  /** The most memory that the process held, less what it held before, for each copy. Unit: bytes. */
  readonly gained: number;
  /** What the process still held when it was idle again. Unit: bytes. */
  readonly held: number;
  /** Of one request as sent. Unit: bytes. */
  readonly sent: number;
  readonly copies: number;
  readonly calls: number;
  readonly seen: Seen;
  /** A crash, an answer of 5xx, or none: worse than any figure. Null if all went well. */
  readonly failure: string | null;
}

/** Tries requests, one after another, on gateways that it starts anew when needed. */
export interface Tries extends AsyncDisposable {
  run(genome: Genome): Promise<Figures>;
  /** On a process that has answered a few ordinary operations only. */
  runFresh(genome: Genome): Promise<Figures>;
}

/** A process is replaced after this many tries, or if it holds this much more than in the beginning. Unit: bytes. */
const TRIES_PER_PROCESS = 60;
const MAX_KEPT = 60_000_000;
/** How long the gateway may still work on requests whose clients have left. Unit: milliseconds. */
const AFTER_LEAVING = 300;
const WARM_UPS = 60;
/** How often to ask whether the circuit of the last try is closed again, and how long to wait in between. */
const RECOVERIES = 40;
const RECOVERY_MS = 100;

const ORDINARY =
  '{ conversation(id: "x1") { messages(first: 5) { nodes { message contact { username } } } } }';

export function createTries(service: AttackService, schema: GraphQLSchema): Tries {
  let gateway: AttackedGateway | null = null;
  /** The memory it holds when it is idle: in the beginning, and now. */
  let fresh = 0;
  let held = 0;
  let tries = 0;
  let callers = 0;

  async function stop(): Promise<void> {
    await gateway?.[Symbol.asyncDispose]();
    gateway = null;
  }

  async function start(): Promise<AttackedGateway> {
    service.behave(null);
    gateway = await startAttackedGateway(service.url);
    tries = 0;
    for (let index = 0; index < WARM_UPS; index += 1) await ask(gateway.url, ORDINARY);
    fresh = await gateway.settle();
    held = fresh;
    return gateway;
  }

  async function measure(genome: Genome): Promise<Figures> {
    if (held > fresh + MAX_KEPT || tries >= TRIES_PER_PROCESS) await stop();
    const running = gateway ?? (await start());
    tries += 1;
    callers += 1;
    const token = `token-${callers}`;
    service.behave(null);
    await recover(running.url, token);
    const figures = await attack(running, {
      genome,
      token,
      before: held,
      service,
      schema,
    });
    held = figures.held;
    if (figures.failure !== null) await stop();
    return figures;
  }

  return {
    run: measure,
    async runFresh(genome) {
      await stop();
      const figures = await measure(genome);
      await stop();
      return figures;
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** Waits until a caller's reads are answered, because an attack may have opened the circuit to the service. */
async function recover(url: string, token: string): Promise<void> {
  for (let index = 0; index < RECOVERIES; index += 1) {
    const answer = await ask(url, ORDINARY, { token });
    if (answer.errors === undefined) return;
    await sleep(RECOVERY_MS);
  }
}

interface Attack {
  readonly genome: Genome;
  readonly token: string;
  readonly before: number;
  readonly service: AttackService;
  readonly schema: GraphQLSchema;
}

async function attack(
  gateway: AttackedGateway,
  { genome, token, before, service, schema }: Attack,
): Promise<Figures> {
  const { transport } = genome;
  const copies = Math.max(1, transport.copies);
  const request = writeRequest(genome, schema, token);
  service.behave(genome.service);
  await gateway.begin();
  const bystander = startBystander(gateway.url);
  const all = await Promise.all(
    Array.from({ length: copies }, () => sendAttack(gateway.url, request, transport)),
  );
  if (transport.client !== 'reads') await sleep(AFTER_LEAVING);
  const waitedMs = await bystander.stop();
  const measured = await gateway.end();
  const held = await gateway.settle();
  const seen = all.find(isFailure) ?? (all[0] as Seen);
  return {
    blockMs: (measured?.cpuMs ?? 0) / copies,
    wallMs: measured?.wallMs ?? 0,
    waitedMs,
    gained: Math.max(0, (measured?.peak ?? 0) - before) / copies,
    held,
    sent: request.size,
    copies,
    calls: service.calls(),
    seen,
    failure: toFailure(gateway, measured !== null, seen),
  };
}

const isFailure = ({ status, isLate }: Seen): boolean => isLate || (status ?? 0) >= 500;

function toFailure(
  gateway: AttackedGateway,
  answers: boolean,
  seen: Seen,
): string | null {
  const death = gateway.death();
  if (death !== null) return `the process ${death}`;
  if (!answers) return 'the process hangs';
  if (seen.isLate) return 'no answer in time';
  return isFailure(seen) ? `answered ${seen.status}` : null;
}
