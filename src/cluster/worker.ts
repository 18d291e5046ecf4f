import { type GatewayOptions, type ListeningGateway, startGateway } from '../gateway.ts';
import type { PlainError, StartMessage, ToPrimary, ToWorker } from './messages.ts';
import { createPeers } from './peers.ts';

/** Runs one worker, until the primary process says stop or the worker gets a SIGTERM of its own. */
export async function runWorker(): Promise<void> {
  // Ctrl-C reaches every process of a terminal, but the primary process says when to stop.
  process.on('SIGINT', () => {});
  const begin = Promise.withResolvers<StartMessage>();
  const end = Promise.withResolvers<void>();
  process.on('SIGTERM', () => end.resolve());
  // One listener for all of them: Node emits all messages that came while this process was loading at once, to the first listener.
  listen((message) => {
    if (message.kind === 'start') begin.resolve(message);
    if (message.kind === 'stop') end.resolve();
    if (message.kind === 'ping') send({ kind: 'pong' });
  });
  const { options, group, facts } = await begin.promise;
  const peers = createPeers(group, { send, listen });
  const gateway = await open({ ...options, peers: peers.peers });
  peers.learn(facts);
  send({ kind: 'listening', url: gateway.url });
  await end.promise;
  await gateway.close();
  const last = await peers.last();
  if (last !== null) await sent(last);
  process.exit(0);
}

/** If the gateway cannot start, the primary process hears why, and this one ends. */
async function open(options: GatewayOptions): Promise<ListeningGateway> {
  try {
    return await startGateway(options);
  } catch (error) {
    await sent({ kind: 'failed', error: toPlain(error) });
    process.exit(1);
  }
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
