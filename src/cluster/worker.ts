import { EventEmitter, once } from 'node:events';
import type { ProcessOptions } from '../gateway/settings.ts';
import { type ListeningGateway, startGateway } from '../gateway.ts';
import type { Peers, Topic } from '../sharing/peers.ts';
import type { MetricsSnapshot } from '../telemetry/snapshot.ts';
import type { Fact, PlainError, StartMessage, ToPrimary, ToWorker } from './messages.ts';

/** Runs one worker, until the primary process says stop or the worker gets a SIGTERM of its own. */
export async function runWorker(): Promise<void> {
  // They reach every process of a terminal, but the primary process says when to stop, and reads the manifest for all.
  for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});
  const begin = Promise.withResolvers<StartMessage>();
  const end = Promise.withResolvers<void>();
  process.on('SIGTERM', () => end.resolve());
  // One listener for all of them: Node emits all messages that came while this process was loading at once, to the first listener.
  onMessage((message) => {
    if (message.kind === 'start') begin.resolve(message);
    if (message.kind === 'stop') end.resolve();
    if (message.kind === 'ping') send({ kind: 'pong' });
  });
  const { options, group } = await begin.promise;
  const peers = createPeers(group);
  const gateway = await open({ ...options, peers: peers.peers });
  send({ kind: 'listening', url: gateway.url });
  await end.promise;
  await gateway.close();
  const last = await peers.last();
  if (last !== null) await sent(last);
  process.exit(0);
}

/** If the gateway cannot start, the primary process hears why, and this one ends. */
async function open(options: ProcessOptions): Promise<ListeningGateway> {
  try {
    return await startGateway(options);
  } catch (error) {
    await sent({ kind: 'failed', error: toPlain(error) });
    process.exit(1);
  }
}

const send = (message: ToPrimary): void => void sent(message);

/** Without the primary process, what is sent is lost, and Node ends the worker. */
const sent = (message: ToPrimary): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });

const onMessage = (listener: (message: ToWorker) => void): void =>
  void process.on('message', (message) => listener(message as ToWorker));

function toPlain(error: unknown): PlainError {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, code, syscall } = error as Error & PlainError;
  return { message, code, syscall };
}

/** How long /metrics waits for the primary process, which waits for the workers. Unit: milliseconds. */
const TOTALS_MS = 5000;

/** The other workers, over the channel to the primary process. */
function createPeers(group: string) {
  /** Emits each message under its topic. */
  const heard = new EventEmitter<Record<Topic, [message: unknown]>>();
  const broadcast = (topic: Topic, message: unknown) =>
    send({ kind: 'broadcast', topic, message });
  const totals = createTotals();
  onMessage((message) => {
    if (message.kind === 'broadcast') heard.emit(message.topic, message.message);
  });
  const peers: Peers = {
    group,
    send: broadcast,
    listen: (topic, listener) => void heard.on(topic, listener),
    totals,
    facts: {
      share: (key, fact) => broadcast('fact', { key, fact } satisfies Fact),
      listen(listener) {
        heard.on('fact', (message) => {
          const { key, fact } = message as Fact;
          listener(key, fact);
        });
      },
    },
  };
  return {
    peers,
    last: totals.last,
  };
}

/** The metrics of this worker, for the primary process, and those of all workers, from there. */
function createTotals() {
  let own: (() => Promise<MetricsSnapshot>) | null = null;
  const answers = new EventEmitter<{ text: [text: string] }>().setMaxListeners(0);
  const toSnapshot = async (): Promise<ToPrimary | null> =>
    own && { kind: 'snapshot', metrics: await own() };
  const sendOwn = async () => {
    const message = await toSnapshot();
    if (message !== null) send(message);
  };
  onMessage((message) => {
    if (message.kind === 'snapshot') void sendOwn();
    if (message.kind === 'totals') answers.emit('text', message.text);
  });

  return {
    offer(snapshot: () => Promise<MetricsSnapshot>) {
      own = snapshot;
    },
    async text(): Promise<string> {
      send({ kind: 'totals' });
      const signal = AbortSignal.timeout(TOTALS_MS);
      const [text] = await once(answers, 'text', { signal });
      return text;
    },
    /** The message with all that this worker has counted, for its end; null if it counts nothing. */
    last: toSnapshot,
  };
}
