import type { Peers, Topic } from '../sharing/peers.ts';
import type { Snapshot, Totals } from '../telemetry/totals.ts';
import type { Fact, ToPrimary, ToWorker } from './messages.ts';

interface Channel {
  send(message: ToPrimary): void;
  listen(listener: (message: ToWorker) => void): void;
}

/** How long /metrics waits for the primary process, which waits for the workers. Unit: milliseconds. */
const TOTALS_MS = 5000;

/** The other workers, over the channel to the primary process. */
export function createPeers(group: string, channel: Channel) {
  const listeners: { topic: Topic; listener: (message: unknown) => void }[] = [];
  const hear = (topic: Topic, message: unknown) => {
    for (const one of listeners) if (one.topic === topic) one.listener(message);
  };
  const listen = (topic: Topic, listener: (message: unknown) => void) =>
    void listeners.push({ topic, listener });
  const send = (topic: Topic, message: unknown) =>
    channel.send({ kind: 'broadcast', topic, message });
  const totals = createTotals(channel);
  channel.listen((message) => {
    if (message.kind === 'broadcast') hear(message.topic, message.message);
  });
  const peers: Peers = {
    group,
    send,
    listen,
    totals,
    facts: {
      share: (key, fact) => send('fact', { key, fact } satisfies Fact),
      listen(listener) {
        listen('fact', (message) => {
          const { key, fact } = message as Fact;
          listener(key, fact);
        });
      },
    },
  };
  return {
    peers,
    /** Hears what other workers learned before this one started. */
    learn(facts: readonly Fact[]): void {
      for (const fact of facts) hear('fact', fact);
    },
    last: totals.last,
  };
}

interface WorkerTotals extends Totals {
  /** The message with all that this worker has counted, for its end; null if it counts nothing. */
  last(): Promise<ToPrimary | null>;
}

function createTotals(channel: Channel): WorkerTotals {
  let own: (() => Promise<Snapshot>) | null = null;
  let asked = 0;
  const waiting = new Map<number, (text: string) => void>();
  const toSnapshot = async (id: number | null): Promise<ToPrimary | null> =>
    own && { kind: 'snapshot', id, metrics: await own() };
  const sendOwn = async (id: number) => {
    const message = await toSnapshot(id);
    if (message !== null) channel.send(message);
  };
  channel.listen((message) => {
    if (message.kind === 'snapshot') void sendOwn(message.id);
    if (message.kind === 'totals') waiting.get(message.id)?.(message.text);
  });
  return {
    offer(snapshot) {
      own = snapshot;
    },
    async text() {
      asked += 1;
      const id = asked;
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      waiting.set(id, resolve);
      const late = setTimeout(
        () => reject(new Error('The metrics of the workers could not be added up.')),
        TOTALS_MS,
      );
      channel.send({ kind: 'totals', id });
      try {
        return await promise;
      } finally {
        clearTimeout(late);
        waiting.delete(id);
      }
    },
    last: () => toSnapshot(null),
  };
}
