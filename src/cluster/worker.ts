import { once } from 'node:events';
import { type ListeningGateway, startGateway } from '../gateway.ts';
import type { PlainError, StartMessage, ToPrimary, ToWorker } from './messages.ts';
import { createPeers, type WorkerPeers } from './peers.ts';

/** Runs one worker, until the primary process says stop or the worker gets a SIGTERM of its own. */
export async function runWorker(): Promise<void> {
  const [{ options, group, facts }] = (await once(process, 'message')) as [StartMessage];
  const peers = createPeers(group, { send, listen });
  // Ctrl-C reaches every process of a terminal, but the primary process says when to stop.
  process.on('SIGINT', () => {});
  const starting = startGateway({ ...options, peers: peers.peers });
  const stop = () => void finish(starting, peers.last);
  process.on('SIGTERM', stop);
  listen((message) => {
    if (message.kind === 'stop') stop();
  });
  try {
    const { url } = await starting;
    peers.learn(facts);
    send({ kind: 'listening', url });
  } catch (error) {
    await sent({ kind: 'failed', error: toPlain(error) });
    process.exit(1);
  }
}

let isFinishing = false;

async function finish(
  starting: Promise<ListeningGateway>,
  last: WorkerPeers['last'],
): Promise<void> {
  if (isFinishing) return;
  isFinishing = true;
  await (await starting).close();
  const message = await last();
  if (message !== null) await sent(message);
  process.exit(0);
}

/** Without the primary process, what is sent is lost, and Node ends the worker. */
function send(message: ToPrimary): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

/** Resolves when the message has left. */
const sent = (message: ToPrimary): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });

const listen = (listener: (message: ToWorker) => void): void =>
  void process.on('message', (message) => listener(message as ToWorker));

function toPlain(error: unknown): PlainError {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, code, syscall } = error as Error & PlainError;
  return { message, code, syscall };
}
