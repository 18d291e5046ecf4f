import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { preview } from 'vite';
import { startEmbeddedService } from '../../../src/embedded/service.ts';
import { startGatewayProcess } from '../../support/gateway-process.ts';
import { run } from '../processes.ts';
import { findPorts } from '../replicas/ports.ts';
import { type ChatPage, openChat } from './pages.ts';

const CONVERSATION = 'conv_ada_grace';

/** Builds the chat of a copy of the repository, for a gateway at `port`, and serves the page. */
export async function serveChat(copy: string) {
  const [port = 0] = await findPorts(1);
  const root = join(copy, 'examples/chat');
  const outDir = await mkdtemp(join(tmpdir(), 'chat-page-'));
  const env = { ...process.env, VITE_GATEWAY: `http://127.0.0.1:${port}` };
  await run('npm', ['run', 'build', '--', '--outDir', outDir], { cwd: root, env });
  const build = { outDir };
  const server = await preview({ root, configFile: false, build, preview: { port: 0 } });
  return {
    port,
    url: server.resolvedUrls?.local[0] ?? '',
    async [Symbol.asyncDispose]() {
      await server.close();
      await rm(outDir, { recursive: true });
    },
  };
}

export type Served = Awaited<ReturnType<typeof serveChat>>;

/** A service of its own, and a gateway before it that can be killed and come back, for pages that are open. */
export async function startScene(browser: Browser, { url, port }: Served) {
  await using started = new AsyncDisposableStack();
  const service = started.use(await startEmbeddedService());
  const start = () => startGatewayProcess(service.url, { PORT: String(port) });
  let gateway = await start();
  started.defer(() => gateway[Symbol.asyncDispose]());
  const all = started.move();
  const open = async (path: string, options?: BrowserContextOptions) =>
    all.use(await openChat(browser, url, path, options));
  return {
    async kill() {
      gateway.child.kill('SIGKILL');
      await gateway.exit();
    },
    async startAgain() {
      gateway = await start();
    },
    /** Calls the service as a user does who has another client. */
    async call(method: string, path: string, fields: Record<string, string> = {}) {
      const response = await fetch(`${service.url}/v1${path}`, {
        method,
        headers: { authorization: 'Bearer grace-sample-token' },
        ...(method === 'POST' && { body: new URLSearchParams(fields) }),
      });
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`);
    },
    open,
    /** Both sides of one conversation. */
    openBoth: async (): Promise<[ChatPage, ChatPage]> => [
      await open(`ada/${CONVERSATION}`),
      await open(`grace/${CONVERSATION}`),
    ],
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
