import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createGateway, loadConfig } from '../../library/index.js';

/** Starts the gateway on its embedded service, and the page, at one address: `HOST`, `PORT`. Ctrl-C ends all of it. */

const root = import.meta.dirname;
if (!existsSync(`${root}/node_modules`)) {
  process.stdout.write('Installing the packages of the page ...\n');
  const { status } = spawnSync('npm', ['ci'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
const { createServer } = await import('vite');

const { host, port } = loadConfig(process.env);
const gateway = await createGateway({ messagingUrl: 'embedded', logLevel: 'error' });
const plugin = {
  name: 'gateway',
  configureServer({ middlewares, httpServer }) {
    middlewares.use('/graphql', gateway.handler);
    httpServer.on('upgrade', (request, socket, head) => {
      if (request.url === '/graphql') gateway.upgrade(request, socket, head);
    });
  },
};
const page = await createServer({ root, plugins: [plugin], server: { host, port }, logLevel: 'error' });
await page.listen();
process.stdout.write(`The chat is at ${page.resolvedUrls.local[0]}\n`);

const stop = () => Promise.all([page.close(), gateway.close()]).then(() => process.exit(0));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop);
