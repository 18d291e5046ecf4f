import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LAUNCHER, run, runToEnd, toAddress } from '../support/command.ts';
import { ask } from '../support/gateway.ts';
import { linkPackage } from '../support/package-folder.ts';
import { startUpstream } from '../support/upstream.ts';

const READ = '{ message(id: "m1") { id createdAtIso } }';
const ANSWER = { message: { id: 'm1', createdAtIso: '2023-11-14T22:13:20.000Z' } };

test.each([
  ['the command', [LAUNCHER], process.execPath],
  ['npm start', ['start', '--silent'], 'npm'],
] as const)('%s reads .env in the folder where it starts', async (_, words, command) => {
  await using service = await startUpstream();
  await using folder = await linkPackage();
  const lines = [`MESSAGING_URL=${service.url}`, 'TIMESTAMP_UNIT=seconds', 'PORT=abc'];
  await writeFile(join(folder.path, '.env'), lines.join('\n'));

  // PORT=0 is in the environment, which wins.
  await using gateway = run([...words], {}, command, { cwd: folder.path });
  const { data } = await ask(toAddress(await gateway.first()), READ);
  gateway.child.kill('SIGTERM');
  await gateway.exit();

  expect(data).toEqual(ANSWER);
});

const WRONG = [expect.stringMatching(/^PAGING="magic": takes /)];
const UTF_16 = ['The file .env of this folder is not in UTF-8: save it in UTF-8.'];

test.each([
  ['PAGING=magic', WRONG],
  // Editors and shells of Windows write these.
  ['\uFEFFPAGING=magic\n', WRONG],
  [Buffer.from('\uFEFFPAGING=page\n', 'utf16le'), UTF_16],
  [Buffer.from('PAGING=page\n', 'utf16le'), UTF_16],
])('a wrong .env stops the start, and says why: %j', async (content, errors) => {
  await using folder = await linkPackage();
  await writeFile(join(folder.path, '.env'), content);

  expect(await runToEnd([], {}, folder.path)).toEqual({ status: 1, lines: [], errors });
});

test('a folder of the name .env is not read', async () => {
  await using folder = await linkPackage();
  await mkdir(join(folder.path, '.env'));

  expect(await runToEnd(['--version'], {}, folder.path)).toMatchObject({
    status: 0,
    errors: [],
  });
});
