import { deepEqual, equal, match } from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { check } from './check.ts';
import { run, startServer } from './processes.ts';

/** Checks the package as users get it: packs it, installs it into an empty folder, starts it, queries it, stops it. */

const ROOT = join(import.meta.dirname, '../..');
/** Puts this Node first, for npx and the processes that it starts. */
const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
const env = { ...process.env, PATH };
const SAMPLE_TOKEN = 'ada-sample-token';

/** Builds and packs the package; returns the path of the tarball. */
async function pack(folder: string): Promise<string> {
  const printed = await run('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: ROOT,
    env,
  });
  const tarball = printed.trim().split('\n').at(-1) ?? '';
  match(tarball, /^messaging-graphql-.*\.tgz$/);
  return join(folder, tarball);
}

async function ask(url: string, query: string): Promise<unknown> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${SAMPLE_TOKEN}`,
    },
    body: JSON.stringify({ query }),
  });
  return response.json();
}

async function startAndAsk(cwd: string): Promise<void> {
  await using server = await startServer('npx', ['messaging-graphql'], {
    cwd,
    env: { ...env, PORT: '0' },
  });
  match(server.firstLine, /^messaging-graphql listens on http:\/\/127\.0\.0\.1:\d+$/);
  const url = server.firstLine.split(' ').at(-1) ?? '';

  const answer = await ask(url, '{ conversation(id: "conv_lisbon_trip") { id } }');

  equal((await fetch(`${url}/explorer/start.js`)).status, 200);
  deepEqual(answer, { data: { conversation: { id: 'conv_lisbon_trip' } } });
  equal(await server.terminate(), 0);
}

const folder = await mkdtemp(join(tmpdir(), 'messaging-graphql-'));
try {
  const app = join(folder, 'app');
  await mkdir(app);
  const tarball = await pack(folder);
  const tool = (name: string, ...words: string[]) =>
    run('npx', ['--no', '--', name, tarball, ...words], { cwd: ROOT, env });

  await check('publint finds no problems', async () => {
    await tool('publint', '--strict');
  });
  await check('the types resolve in an ES module', async () => {
    await tool('attw', '--profile', 'esm-only');
  });
  await check('npm installs the package into an empty folder', async () => {
    await run('npm', ['install', '--prefix', app, tarball], { cwd: app, env });
  });
  await check('an ES module can import it', async () => {
    const program =
      "const { startGateway, loadConfig } = await import('messaging-graphql'); console.log(typeof startGateway, typeof loadConfig)";
    const printed = await run('node', ['--input-type=module', '-e', program], {
      cwd: app,
      env,
    });
    equal(printed.trim(), 'function function');
  });
  await check(
    'npx starts the gateway, it answers a query and has the explorer, and exits with 0 after SIGTERM',
    () => startAndAsk(app),
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
