import type { Answers } from '../../../src/embedded/answers.ts';
import { startEmbeddedService } from '../../../src/embedded/service.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { chooseTargets, type Targets } from '../arbitrary/targets.ts';
import { learnCursors } from '../oracle/system.ts';
import { messagesOf, readWorld, type World } from '../oracle/world.ts';
import { UNLIMITED } from '../runs.ts';
import { START_MS, setClock, TICK_MS } from './clock.ts';

/** A fresh service with a gateway. Each case has its own, so cases are independent and repeatable. */
export interface Fixture extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly token: string;
  readonly username: string;
  /** The writes that the service received, `PUT /v1/messages/m1`. */
  readonly writes: readonly string[];
  /** How many calls the service received, reads included. */
  callCount(): number;
  /** Reads the current data of the service over REST. */
  readState(): Promise<World>;
}

/** Writes sent to a fresh service before the gateway starts. */
type Preparations = readonly (readonly [path: string, form: string])[];

interface FixtureOptions {
  /** Settings of the gateway. */
  readonly env: Readonly<Record<string, string>>;
  readonly answers: Partial<Answers>;
  readonly preparations: Preparations;
}

/** The common starting point of all fixtures with these options. */
export interface InitialState extends FixtureOptions {
  /** With cursors of the lists that mutations use most. */
  readonly world: World;
}

/** Sets the clock back to the start. Each successful write moves it on. */
export async function openFixture({
  env,
  answers,
  preparations,
}: FixtureOptions): Promise<Fixture> {
  let clockMs = START_MS;
  setClock(clockMs);
  let isPrepared = false;
  let calls = 0;
  const writes: string[] = [];
  const service = await startEmbeddedService({
    answers,
    onCall({ method, url, status }) {
      calls += 1;
      if (method === 'GET' || !isPrepared) return;
      writes.push(`${method} ${url}`);
      if (status < 300) clockMs += TICK_MS;
      setClock(clockMs);
    },
  });
  // The second sample user has less data, and each case reads all of it.
  const { token = '', username = '' } = service.sampleUsers[1] ?? {};
  await prepare(service.url, token, preparations);
  isPrepared = true;
  const gateway = await startTestGateway(service.url, { ...UNLIMITED, ...env });
  return {
    gateway,
    token,
    username,
    writes,
    callCount: () => calls,
    readState: () => readWorld(service.url, token),
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await service.close();
    },
  };
}

async function prepare(
  serviceUrl: string,
  token: string,
  preparations: Preparations,
): Promise<void> {
  for (const [path, form] of preparations) {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const { ok } = await fetch(serviceUrl + path, { method: 'PUT', headers, body: form });
    if (!ok) throw new Error(`the service refuses ${form}`);
  }
}

/** Reads a fresh service to choose the starting point of all fixtures. */
export async function readInitialState(
  env: FixtureOptions['env'],
  answers: Partial<Answers>,
): Promise<InitialState> {
  const fresh = { env, answers, preparations: [] };
  await using first = await openFixture(fresh);
  const targets = chooseTargets(await first.readState());
  const preparations = prepareTargets(targets, answers);
  await using fixture = await openFixture({ ...fresh, preparations });
  const world = await fixture.readState();
  const lists = chooseTargets(world).conversations.slice(0, 2).map(messagesOf);
  await learnCursors(world, fixture.gateway, fixture.token, lists);
  return { env, answers, preparations, world };
}

/** Sets fields of the busiest conversation, so that mutations can clear them. Never archives it where that freezes it. */
const prepareTargets = (
  { busiest, messages }: Targets,
  { archived }: Partial<Answers>,
): Preparations => [
  [
    `/v1/conversations/${busiest}`,
    archived === 'frozen' ? 'is_muted=true' : 'is_muted=true&archived_at=1',
  ],
  ...messages
    .filter(({ conversationId }) => conversationId === busiest)
    .slice(0, 2)
    .map(({ id }) => {
      const form = 'attachments[0][type]=link&reactions[heart][]=ada';
      return [`/v1/messages/${id}`, form] as const;
    }),
];
