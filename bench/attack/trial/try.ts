import { setTimeout as sleep } from 'node:timers/promises';
import { ask, withSortedErrors } from '../../../test/support/gateway.ts';
import { type Case, PLAIN_SERVICE, type Turn } from '../case.ts';
import { writeRequest } from '../request.ts';
import { type AttackedGateway, startAttackedGateway } from './attacked-gateway.ts';
import { askAsB, type Beside, OPERATION_OF_B, type Others } from './beside.ts';
import { type Seen, sendAttack } from './client.ts';
import { TOKEN_OF_B } from './service.ts';
import { OPERATIONS, watch } from './sockets.ts';

/** What one request, or a few copies of it, did to the gateway. */
export interface Figures {
  /** The longest the thread was busy without a pause, for each copy. Unit: milliseconds of the processor. */
  readonly blockMs: number;
  /** The most memory that the process held, less what it held before, for each copy. Unit: bytes. */
  readonly gained: number;
  /** What the process still held when it was idle again. Unit: bytes. */
  readonly held: number;
  /** Of one request as sent. Unit: bytes. */
  readonly sent: number;
  readonly copies: number;
  readonly calls: number;
  /** What B got meanwhile, and how long one answer of a hundred took when B was alone. */
  readonly others: Others & { readonly aloneP99Ms: number };
  readonly seen: Seen;
  /** A crash, an answer of 5xx, or none: worse than any figure. Null if all went well. */
  readonly failure: string | null;
}

/** Tries requests, one after another, on gateways that it starts anew when needed. */
export interface Tries extends AsyncDisposable {
  run(one: Case): Promise<Figures>;
  /** On a process that has answered a few ordinary operations only, with a small heap if there are several requests. */
  runFresh(one: Case): Promise<Figures>;
}

/** A process is replaced after this many tries, or if it holds this much more than in the beginning. Unit: bytes. */
const TRIES_PER_PROCESS = 60;
const MAX_KEPT = 60_000_000;
/** How long the gateway may still work on requests whose clients have left. Unit: milliseconds. */
const AFTER_LEAVING = 300;
const WARM_UPS = 60;
/**
 * V8 lets garbage grow with the heap, so that many requests, each of which is within the limit, together seem to gain more.
 * With a heap that has no room for garbage only what is held counts, and holding too much ends the process.
 */
const SMALL_HEAP = ['--max-old-space-size=200', '--max-semi-space-size=4'];
/** How long B is alone with a new process. Unit: milliseconds. */
const ALONE_MS = 500;
/** How often to ask whether the circuit of the last try is closed again, and how long to wait in between. */
const RECOVERIES = 40;
const RECOVERY_MS = 100;

/** More copies than this count as so many: what many requests hold together must be bounded, too. */
const MAX_SHARED = 4;
/** Unit: bytes. */
const MAX_AT_ONCE = 400_000_000;

const ORDINARY =
  '{ conversation(id: "x1") { messages(first: 5) { nodes { message contact { username } } } } }';

export function createTries(beside: Beside): Tries {
  let gateway: AttackedGateway | null = null;
  /** Of another process, which only B uses. */
  let reference: Promise<AttackedGateway> | null = null;
  /** What B gets without A. */
  let alone = { answer: '', p99Ms: 0 };
  /** The memory it holds when it is idle: in the beginning, and now. */
  let fresh = 0;
  let held = 0;
  let tries = 0;
  let callers = 0;

  async function stop(): Promise<void> {
    await gateway?.[Symbol.asyncDispose]();
    gateway = null;
  }

  async function start(nodeOptions: readonly string[] = []): Promise<AttackedGateway> {
    await beside.behave(PLAIN_SERVICE);
    gateway = await startAttackedGateway(beside.serviceUrl, nodeOptions);
    const { url } = gateway;
    tries = 0;
    for (let index = 0; index < WARM_UPS; index += 1) await ask(url, ORDINARY);
    await beside.startB(url, null);
    await sleep(ALONE_MS);
    const { p99Ms } = await beside.stopB();
    alone = { p99Ms, answer: (await askAsB(url, OPERATION_OF_B)) ?? '' };
    fresh = await gateway.settle();
    held = fresh;
    return gateway;
  }

  async function run(one: Case): Promise<Figures> {
    if (held > fresh + MAX_KEPT || tries >= TRIES_PER_PROCESS) await stop();
    const running = gateway ?? (await start());
    tries += 1;
    callers += 1;
    const token = `token-${callers}`;
    await beside.behave(PLAIN_SERVICE);
    await recover(running.url, token);
    const figures = await attack(running, one, token);
    held = figures.held;
    if (figures.failure !== null) await stop();
    return figures;
  }

  async function attack(
    { url, ...running }: AttackedGateway,
    one: Case,
    token: string,
  ): Promise<Figures> {
    const { transport, service, watchers, ofB } = one;
    const stopWatching = await watch(url, token, watchers);
    await beside.behave(service);
    await running.begin();
    await beside.startB(url, alone.answer);
    const { all, sent, copies } = await sendTurns(url, one, token);
    if (transport.client !== 'reads') await sleep(AFTER_LEAVING);
    const others = await beside.stopB();
    const measured = await running.end();
    stopWatching();
    const isDifferent = ofB !== null && !(await isSameForB(url, one, ofB));
    const shared = Math.min(copies, MAX_SHARED);
    const seen = all.find(isFailure) ?? (all[0] as Seen);
    const heldNow = await running.settle();
    const death = running.death();
    return {
      blockMs: (measured?.cpuMs ?? 0) / shared,
      gained: Math.max(0, (measured?.peak ?? 0) - held) / shared,
      held: heldNow,
      sent,
      copies,
      calls: await beside.calls(),
      others: {
        ...others,
        aloneP99Ms: alone.p99Ms,
        different: others.different + Number(isDifferent),
      },
      seen,
      failure:
        death === null ? toFailure(measured !== null, seen) : `the process ${death}`,
    };
  }

  /** Sends the request of a case, then those of its turns, each after the last one. */
  async function sendTurns(url: string, one: Case, token: string) {
    const { transport, turns } = one;
    const isEachOther = transport.token === 'made up';
    const all: Seen[] = [];
    let copies = 1;
    let sent = 0;
    const values = [{}, ...turns.flatMap((turn) => Array(turn.times).fill(turn.values))];
    for (const [turn, own] of values.entries()) {
      const write = (copy: number) => {
        const ofCopy = isEachOther ? `${token}-${turn}-${copy}` : token;
        return writeRequest(withValues(one, own), ofCopy, turn);
      };
      const first = write(0);
      // All of them are written before they are sent, and must not fill the memory of the search.
      const size = first.size * (transport.over === 'socket' ? OPERATIONS : 1);
      const fitting = Math.floor(MAX_AT_ONCE / Math.max(1, size));
      copies = Math.max(1, Math.min(transport.copies, fitting));
      const sending = Array.from({ length: copies }, (_, copy) =>
        sendAttack(url, isEachOther ? write(copy) : first, transport),
      );
      all.push(...(await Promise.all(sending)));
      sent = Math.max(sent, first.size);
    }
    return { all, sent, copies };
  }

  /** Whether B is answered as by a gateway that A never used, when B sends the same document. */
  async function isSameForB(
    url: string,
    one: Case,
    values: Turn['values'],
  ): Promise<boolean> {
    const transport = { ...one.transport, encoding: 'none', method: 'POST' } as const;
    const own = { ...withValues(one, values), transport };
    const { body } = writeRequest(own, TOKEN_OF_B);
    reference ??= startAttackedGateway(beside.serviceUrl);
    const here = await askAsB(url, body);
    if (here === null) return true;
    const there = await askAsB((await reference).url, body);
    return there !== null && withSortedErrors(here) === withSortedErrors(there);
  }

  return {
    run,
    async runFresh(one) {
      await stop();
      const isSequence = one.turns.length > 0 || one.transport.copies > 1;
      if (isSequence) await start(SMALL_HEAP);
      const figures = await run(one);
      await stop();
      return figures;
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await (await reference)?.[Symbol.asyncDispose]();
    },
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

function withValues(one: Case, values: Turn['values']): Case {
  const variables = Object.entries(one.variables).map(([name, variable]) => [
    name,
    { ...variable, value: values[name] ?? variable.value },
  ]);
  return { ...one, variables: Object.fromEntries(variables) };
}

const isFailure = ({ status, isLate }: Seen): boolean => isLate || (status ?? 0) >= 500;

function toFailure(answers: boolean, seen: Seen): string | null {
  if (!answers) return 'the process hangs';
  if (seen.isLate) return 'no answer in time';
  return isFailure(seen) ? `answered ${seen.status}` : null;
}
