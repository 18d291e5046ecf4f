import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as source from '../../src/gateway.ts';
import { LAUNCHER, preload, run } from '../support/command.ts';

/** Loaded before everything else: Node says that it is an old one, and lacks what Node 18 lacks. */
const OLD_NODE = preload(`
  import { registerHooks } from 'node:module';
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } });
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'node:util'
        ? { url: 'data:text/javascript,export default {}', shortCircuit: true }
        : next(specifier, context),
  });
`);
const REASON = 'messaging-graphql needs Node 22.21 or newer; this is 18.20.8.';

const IMPORT = [
  '--input-type=module',
  '-e',
  "import * as library from 'messaging-graphql'; console.log(Object.keys(library).sort().join())",
];
const REQUIRE = [
  '-e',
  "console.log(Object.keys(require('messaging-graphql')).sort().join())",
];

test.each([
  ['import', IMPORT],
  ['require', REQUIRE],
])('%s gets everything that the library exports', async (_, program) => {
  await using consumer = run(program);

  expect(await consumer.exit()).toBe(0);
  expect(consumer.lines).toEqual([Object.keys(source).sort().join()]);
});

test.each([
  ['import', IMPORT],
  ['require', REQUIRE],
  ['the command', [LAUNCHER]],
])('on too old a Node, %s says so in one sentence', async (_, program) => {
  await using consumer = run([...OLD_NODE, ...program]);

  expect(await consumer.exit()).toBe(1);
  expect(consumer.lines).toEqual([]);
  expect(consumer.errors.filter((line) => line.endsWith(REASON))).toHaveLength(1);
  expect(consumer.errors.join('\n')).not.toContain('src/gateway');
});

test('a checkout without its packages asks for npm ci, which also brings a newer Node', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'messaging-graphql-'));
  for (const path of ['package.json', 'bin', 'library', 'src'])
    await cp(path, join(folder, path), { recursive: true });

  await using command = run([...OLD_NODE, join(folder, 'bin/messaging-graphql.js')]);
  expect(await command.exit()).toBe(1);
  await rm(folder, { recursive: true });

  expect(command.lines).toEqual([]);
  expect(command.errors).toEqual([expect.stringMatching(/^Run "npm ci" first: /)]);
});

test('import and require get the same library', async () => {
  const program =
    "const required = require('messaging-graphql'); import('messaging-graphql').then((imported) => console.log(imported.ConfigError === required.ConfigError))";
  await using consumer = run(['-e', program]);

  expect(await consumer.exit()).toBe(0);
  expect(consumer.lines).toEqual(['true']);
});
