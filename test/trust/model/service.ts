import { vi } from 'vitest';
import type { Answers } from '../../../src/embedded/answers.ts';
import { startEmbeddedService } from '../../../src/embedded/service.ts';
import { startTestGateway } from '../../support/gateway.ts';
import { chooseTargets } from '../arbitrary/targets.ts';
import { learnCursors } from '../oracle/system.ts';
import { listOf, readWorld, type World } from '../oracle/world.ts';
import { UNLIMITED } from '../runs.ts';

/** The time when every case begins, later than all sample data. Unit: milliseconds since 1970. */
const START_MS = Date.UTC(2031, 0, 1);
/** How far each successful write moves the clock, so that some writes share a second. Unit: milliseconds. */
const TICK_MS = 700;

/** Stops this process's clock, which the embedded service shares. Timers still run. */
export function stopClock(): Disposable {
  vi.useFakeTimers({ toFake: ['Date'], now: START_MS });
  return { [Symbol.dispose]: () => void vi.useRealTimers() };
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly form?: string;
}

interface Options {
  readonly answers: Partial<Answers>;
  /** Writes sent before the first case. */
  readonly preparations: readonly Call[];
}

/** The common starting point of all services with these options. */
export interface InitialState extends Options {
  /** With cursors of the lists that mutations use most. */
  readonly world: World;
}

/** A fresh service. Each case has its own, so cases are independent and repeatable. Each successful write moves the clock on. */
export async function openService({ answers, preparations }: Options) {
  let clockMs = START_MS;
  let isPrepared = false;
  let calls = 0;
  /** The writes that the service received, `PUT /v1/messages/m1`. */
  const writes: string[] = [];
  const service = await startEmbeddedService({
    answers,
    onCall({ method, url, status }) {
      calls += 1;
      if (method === 'GET' || !isPrepared) return;
      writes.push(`${method} ${url}`);
      if (status < 300) clockMs += TICK_MS;
      vi.setSystemTime(clockMs);
    },
  });
  // The second sample user has less data, and each case reads all of it.
  const { token = '' } = service.sampleUsers[1] ?? {};
  /** Sends a call at this service's own time. */
  const send = async ({ method, path, form }: Call) => {
    vi.setSystemTime(clockMs);
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const body = form ?? null;
    const response = await fetch(service.url + path, { method, headers, body });
    return { status: response.status, text: await response.text() };
  };
  for (const call of preparations) {
    const { status } = await send(call);
    if (status !== 200) throw new Error(`the service refuses ${call.form}`);
  }
  isPrepared = true;
  vi.setSystemTime(clockMs);
  return {
    url: service.url,
    token,
    writes,
    /** How many calls the service received, reads included. */
    callCount: () => calls,
    send,
    /** Reads the current data of the service over REST. */
    readState: () => readWorld(service.url, token),
    [Symbol.asyncDispose]: () => service.close(),
  };
}

export type Service = Awaited<ReturnType<typeof openService>>;

/** Reads a fresh service to choose the starting point of all cases. */
export async function readInitialState(
  env: Readonly<Record<string, string>>,
  answers: Partial<Answers>,
): Promise<InitialState> {
  await using untouched = await openService({ answers, preparations: [] });
  const preparations = prepareTargets(await untouched.readState(), answers);
  await using service = await openService({ answers, preparations });
  await using gateway = await startTestGateway(service.url, { ...UNLIMITED, ...env });
  const world = await service.readState();
  const [first, second] = chooseTargets(world).conversations;
  const lists = [first, second].map((conversationId) =>
    listOf('messages', { conversationId }),
  );
  await learnCursors(world, gateway, service.token, lists);
  return { answers, preparations, world };
}

/** Sets fields of the busiest conversation, so that mutations can clear them. Never archives it where that freezes it. */
function prepareTargets(world: World, { archived }: Partial<Answers>): Call[] {
  const { busiest, messages } = chooseTargets(world);
  const own = messages.filter(({ conversationId }) => conversationId === busiest);
  return [
    {
      method: 'PUT',
      path: `/v1/conversations/${busiest}`,
      form: archived === 'frozen' ? 'is_muted=true' : 'is_muted=true&archived_at=1',
    },
    ...own.slice(0, 2).map(({ id }) => ({
      method: 'PUT',
      path: `/v1/messages/${id}`,
      form: 'attachments[0][type]=link&reactions[heart][]=ada&reactions[heart][]=grace',
    })),
  ];
}
