import { deepEqual, equal, match } from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { check } from './check.ts';
import { run, startServer } from './processes.ts';

/** Checks the package as a user gets it: packed, installed into an empty folder, started there, asked, and ended. */

const ROOT = join(import.meta.dirname, '../..');
/** The Node that runs this comes first, for npx and for what it starts. */
const env = { ...process.env, PATH: withThisNodeFirst(process.env.PATH) };
const SAMPLE_TOKEN = 'ada-sample-token';

function withThisNodeFirst(path = ''): string {
  return [dirname(process.execPath), path].join(delimiter);
}

/** Builds and packs; returns the tarball. */
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

  await check('publint finds nothing', async () => {
    await tool('publint', '--strict');
  });
  await check('its types resolve in an ES module', async () => {
    await tool('attw', '--profile', 'esm-only');
  });
  await check('npm installs it into an empty folder', async () => {
    await run('npm', ['install', '--prefix', app, tarball], { cwd: app, env });
  });
  await check('it can be imported', async () => {
    const program =
      "const { startGateway, loadConfig } = await import('messaging-graphql'); console.log(typeof startGateway, typeof loadConfig)";
    const printed = await run('node', ['--input-type=module', '-e', program], {
      cwd: app,
      env,
    });
    equal(printed.trim(), 'function function');
  });
  await check('npx starts it, it answers, and SIGTERM ends it with 0', () =>
    startAndAsk(app),
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
