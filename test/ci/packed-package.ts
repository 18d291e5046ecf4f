import { deepEqual, equal, match } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import {
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as source from '../../src/gateway.ts';
import { copyRepository } from '../support/copy-repository.ts';
import { ask } from '../support/gateway.ts';
import { check } from './check.ts';
import { ROOT, run, startServer } from './processes.ts';

/** Checks the package as users get it: packs it, installs it into an empty folder, starts it, queries it, stops it. */

/** `npm run test:tools` installs them. */
const TOOLS = join(import.meta.dirname, 'tools');
const ANSWER = 'conv_lisbon_trip';

/** Builds and packs the package in a copy, because other checks use what was built here; returns the path of the tarball. */
async function pack(folder: string): Promise<string> {
  await using copy = await copyRepository();
  const words = ['pack', '--silent', '--pack-destination', folder];
  const printed = await run('npm', words, { cwd: copy.path });
  const tarball = printed.trim().split('\n').at(-1) ?? '';
  match(tarball, /^messaging-graphql-.*\.tgz$/);
  return join(folder, tarball);
}

async function startAndAsk(
  cwd: string,
  command = 'npx',
  words = ['messaging-graphql'],
): Promise<void> {
  await using server = await startServer(command, words, { cwd });
  const { firstLine, url } = server;
  match(firstLine, /^messaging-graphql listens on http:\/\/127\.0\.0\.1:\d+$/);

  const query = `{ conversation(id: "${ANSWER}") { id } }`;
  const { data } = await ask(url, query, { token: 'ada-sample-token' });

  equal((await fetch(`${url}/explorer/start.js`)).status, 200);
  deepEqual(data, { conversation: { id: ANSWER } });
  equal(await server.terminate(), 0);
}

/** The body of a program; its first line imports `createGateway`. */
const TEN_LINES = `
  const gateway = await createGateway({ logLevel: 'silent' });
  const { data } = await gateway.execute({
    query: '{ conversation(id: "${ANSWER}") { id } }',
    token: 'ada-sample-token',
  });
  await gateway.close();
  console.log(data.conversation.id);
`;
async function runProgram(
  cwd: string,
  program: string,
  type = 'module',
): Promise<string> {
  const printed = await run('node', [`--input-type=${type}`, '-e', program], { cwd });
  return printed.trim();
}

/** Installs the package, and others in the versions that the project itself uses. */
const install = (app: string, tarball: string, others: readonly string[] = []) =>
  run('npm', ['install', '--prefix', app, tarball, ...others.map(withVersion)], {
    cwd: app,
  });

/** A package with the version that the project itself uses. */
function withVersion(name: string): string {
  const { version } = createRequire(import.meta.url)(
    `${ROOT}/node_modules/${name}/package.json`,
  );
  return `${name}@${version}`;
}

const folder = await mkdtemp(join(tmpdir(), 'messaging-graphql-'));
try {
  const app = join(folder, 'app');
  await mkdir(app);
  const tarball = await pack(folder);
  const tool = (name: string, ...words: string[]) =>
    run('npx', ['--no', '--', name, tarball, ...words], { cwd: TOOLS });

  await check('publint finds no problems', async () => {
    await tool('publint', '--strict');
  });
  await check('the types resolve in an ES module', async () => {
    const others = ['--exclude-entrypoints', 'schema.graphql'];
    await tool('attw', '--profile', 'esm-only', ...others);
  });
  await check('npm installs the package into an empty folder', async () => {
    await install(app, tarball);
  });
  await check('ten lines of JavaScript get an answer, in CommonJS', async () => {
    const program = `const { createGateway } = require('messaging-graphql'); (async () => {${TEN_LINES}})();`;
    equal(await runProgram(app, program, 'commonjs'), ANSWER);
  });
  await check('import and require get the same, and nothing else', async () => {
    const program = `
      const required = require('messaging-graphql');
      import('messaging-graphql').then((imported) => {
        const names = Object.keys(required);
        console.log(names.join(), names.every((name) => required[name] === imported[name]));
      });`;
    const names = Object.keys(source).sort().join();
    equal(await runProgram(app, program, 'commonjs'), `${names} true`);
  });
  await check('it brings no other package than graphql, and types', async () => {
    deepEqual(
      (await readdir(join(app, 'node_modules'))).filter((name) => !name.startsWith('.')),
      ['@types', 'graphql', 'messaging-graphql', 'undici-types'],
    );
  });
  await check("its schema is one of the application's graphql", async () => {
    for (const names of [
      ['messaging-graphql', 'graphql'],
      ['graphql', 'messaging-graphql'],
    ]) {
      const program = `
        const all = {};
        for (const name of ${JSON.stringify(names)}) Object.assign(all, await import(name));
        const gateway = await all.createGateway({ logLevel: 'silent' });
        console.log(gateway.schema instanceof all.GraphQLSchema);
        await gateway.close();`;
      equal(await runProgram(app, program), 'true');
    }
  });
  await check('strict TypeScript needs nothing else to compile with it', async () => {
    const line = "import { createGateway, type Gateway } from 'messaging-graphql';";
    const use = 'export const gateway: Promise<Gateway> = createGateway();';
    for (const file of ['module.mts', 'common.cts'])
      await writeFile(join(app, file), `${line}\n${use}\n`);
    await install(app, tarball, ['typescript']);
    const options =
      '--strict --skipLibCheck false --target es2022 --module nodenext --noEmit';
    const words = [...options.split(' '), 'module.mts', 'common.cts'];
    await run('npx', ['--no', '--', 'tsc', ...words], { cwd: app });
  });
  await check('strict TypeScript compiles with it, and checks all types', async () => {
    const consumer = join(ROOT, 'test/ci/consumer');
    for (const file of ['consumer.ts', 'tsconfig.json'])
      await copyFile(join(consumer, file), join(app, file));
    await writeFile(join(app, 'package.json'), '{ "type": "module" }');
    const types = ['@types/node', '@types/express'];
    await install(app, tarball, [...types, 'typescript', 'express', 'fastify', 'pino']);
    await run('npx', ['--no', '--', 'tsc'], { cwd: app });
  });
  await check('the compiled program can use every part', async () => {
    equal(
      (await run('node', ['out/consumer.js'], { cwd: app })).trim(),
      'all parts work',
    );
  });
  await check('the links of its README lead to files that it has', async () => {
    const inside = join(app, 'node_modules/messaging-graphql');
    const readme = await readFile(join(inside, 'README.md'), 'utf8');
    const links = [...readme.matchAll(/\]\((?!http|#)([^)#]+)/g)].map(
      ([, link = '']) => link,
    );
    deepEqual(
      links.filter((link) => !existsSync(join(inside, link))),
      [],
    );
    equal(links.length > 10, true);
  });
  await check('its examples run where it is installed', async () => {
    const example = 'node_modules/messaging-graphql/examples/library/in-process.js';
    match(await run('node', [example], { cwd: app }), /conv_lisbon_trip/);
  });
  await check('it exports the schema that its command prints', async () => {
    const shipped = await readFile(
      createRequire(join(app, 'app.js')).resolve('messaging-graphql/schema.graphql'),
      'utf8',
    );
    equal(await run('npx', ['messaging-graphql', 'schema'], { cwd: app }), shipped);
    match(shipped, /^type Query \{$/m);
  });
  await check('its command needs no other package', async () => {
    const alone = join(folder, 'alone');
    await cp(join(app, 'node_modules/messaging-graphql'), alone, { recursive: true });
    await startAndAsk(alone, 'node', ['bin/messaging-graphql.js']);
  });
  await check(
    'npx starts the gateway, it answers a query and has the explorer, and exits with 0 after SIGTERM',
    () => startAndAsk(app),
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
