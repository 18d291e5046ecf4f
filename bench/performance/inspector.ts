/** A connection to the inspector of Node, over its protocol. */
import type { StartOptions } from './targets.ts';

/** Starts a target so that connectInspector can reach it. */
export const WITH_INSPECTOR: StartOptions = { nodeOptions: ['--inspect=127.0.0.1:0'] };

export interface Inspector {
  send(method: string, params?: object): Promise<unknown>;
  close(): void;
}

/** Connects to the inspector whose address the process printed. */
export async function connectInspector(errors: readonly string[]): Promise<Inspector> {
  const address = errors
    .map((line) => /Debugger listening on (ws:\S+)/.exec(line)?.[1])
    .find((found) => found !== undefined);
  if (address === undefined) throw new Error(`no inspector: ${errors.join('\n')}`);
  const socket = new WebSocket(address);
  const waiting = new Map<number, (result: unknown) => void>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(data);
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  await new Promise((opened, failed) => {
    socket.addEventListener('open', opened);
    socket.addEventListener('error', failed);
  });
  return {
    send(method, params = {}) {
      last += 1;
      const { promise, resolve: answered } = Promise.withResolvers<unknown>();
      waiting.set(last, answered);
      socket.send(JSON.stringify({ id: last, method, params }));
      return promise;
    },
    close: () => socket.close(),
  };
}
