import type { Answers } from '../../../src/embedded/answers.ts';
import { startEmbeddedService } from '../../../src/embedded/service.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { type Focus, toFocus } from '../arbitrary/focus.ts';
import { learnCursors } from '../oracle/learn-cursors.ts';
import { messagesOf, readWorld, type World } from '../oracle/world.ts';
import { START_MS, setClock, TICK_MS } from './clock.ts';

/** A fresh service and a gateway in front of it: what one case does, no other one sees, and so each can be repeated. */
export interface Scene extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly token: string;
  readonly username: string;
  /** The writes the service has received, `PUT /v1/messages/m1`. */
  readonly writes: readonly string[];
  /** How many calls the service has received, whatever they were. */
  callCount(): number;
  /** Reads over REST what the service holds now. */
  held(): Promise<World>;
}

const UNLIMITED = { MAX_CALLS_PER_LIST: '1000', MAX_REST_CALLS: '100000' };

/** Changes made to a fresh service, path and form, before anything is asked of the gateway. */
type Preparations = readonly (readonly [path: string, form: string])[];

/** What every scene with these settings begins with. */
export interface Beginning {
  /** Settings of the gateway. */
  readonly env: Readonly<Record<string, string>>;
  readonly answers: Partial<Answers>;
  readonly preparations: Preparations;
  /** With the cursors of what is in the focus of the mutations. */
  readonly world: World;
}

/** Sets the clock back to the start; each write that is carried out moves it on. */
export async function openScene({
  env,
  answers,
  preparations,
}: Omit<Beginning, 'world'>): Promise<Scene> {
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
  // The second sample user has less, and that is read again and again.
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
    held: () => readWorld(service.url, token),
    async [Symbol.asyncDispose]() {
      await gateway.stop();
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

/** Looks at a fresh service, and decides what every scene begins with. */
export async function readBeginning(
  env: Beginning['env'],
  answers: Partial<Answers>,
): Promise<Beginning> {
  const fresh = { env, answers, preparations: [] };
  await using first = await openScene(fresh);
  const preparations = setMost(toFocus(await first.held()), answers);
  await using scene = await openScene({ ...fresh, preparations });
  const world = await scene.held();
  // Few lists: a cursor of another one is refused, whatever has happened in it.
  const lists = toFocus(world).conversations.slice(0, 2).map(messagesOf);
  await learnCursors(world, scene.gateway, scene.token, lists);
  return { env, answers, preparations, world };
}

/** In the busiest conversation most is set, so that it can be cleared; it is not archived where that would end it all. */
const setMost = (
  { busiest, messages }: Focus,
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
