import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LAUNCHER, run, toAddress } from '../support/command.ts';
import { ask } from '../support/gateway.ts';
import { linkPackage } from '../support/package-folder.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const READ = '{ message(id: "m1") { id createdAtIso } }';
const ANSWER = { message: { id: 'm1', createdAtIso: '2023-11-14T22:13:20.000Z' } };

const startService = () => startUpstream({ 'GET /v1/messages/m1': wireMessage('m1') });

test.each([
  ['the command', [LAUNCHER], process.execPath],
  ['npm start', ['start', '--silent'], 'npm'],
] as const)(
  '%s reads .env in the folder where it starts',
  async (_what, words, command) => {
    await using service = await startService();
    await using folder = await linkPackage();
    const lines = [`MESSAGING_URL=${service.url}`, 'TIMESTAMP_UNIT=seconds', 'PORT=abc'];
    await writeFile(join(folder.path, '.env'), lines.join('\n'));

    // PORT=0 is in the environment, which wins.
    await using gateway = run([...words], {}, command, { cwd: folder.path });
    const { data } = await ask(toAddress(await gateway.first()), READ);
    gateway.child.kill('SIGTERM');
    await gateway.exit();

    expect(data).toEqual(ANSWER);
  },
);

test('what the probe prints with --env is read as .env', async () => {
  await using embedded = run([LAUNCHER, 'embedded', 'paging=offset', 'maxLimit=20']);
  const address = toAddress(await embedded.first());
  await using folder = await linkPackage();
  const token = { MESSAGING_TOKEN: 'ada-sample-token' };
  await using probe = run([LAUNCHER, 'probe', address, '--env'], token);
  expect(await probe.exit()).toBe(0);
  await writeFile(join(folder.path, '.env'), probe.lines.join('\n'));

  await using profile = run([LAUNCHER, '--profile'], {}, process.execPath, {
    cwd: folder.path,
  });

  expect(await profile.exit()).toBe(0);
  expect(profile.lines.join('\n')).toMatch(
    /pagination parameter: offset .*maximum limit: 20 /s,
  );
});

test('a wrong setting in .env stops the start as one of the environment does', async () => {
  await using folder = await linkPackage();
  await writeFile(join(folder.path, '.env'), 'PAGING=magic');
  await using gateway = run([LAUNCHER], {}, process.execPath, { cwd: folder.path });

  expect(await gateway.exit()).toBe(1);
  expect(gateway.errors).toEqual([expect.stringMatching(/^PAGING="magic": takes /)]);
});

test('a folder of the name .env is not read', async () => {
  await using folder = await linkPackage();
  await mkdir(join(folder.path, '.env'));
  await using version = run([LAUNCHER, '--version'], {}, process.execPath, {
    cwd: folder.path,
  });

  expect(await version.exit()).toBe(0);
  expect(version.errors).toEqual([]);
});

/** Editors and shells of Windows write these. */
test('a byte order mark at the start of .env is no part of a name', async () => {
  await using folder = await linkPackage();
  await writeFile(join(folder.path, '.env'), '\uFEFFPAGING=magic\n');
  await using gateway = run([LAUNCHER], {}, process.execPath, { cwd: folder.path });

  expect(await gateway.exit()).toBe(1);
  expect(gateway.errors).toEqual([expect.stringMatching(/^PAGING="magic": takes /)]);
});

test.each([['\uFEFFPAGING=page\n'], ['PAGING=page\n']])(
  'a file .env in UTF-16 stops the start, and says what to do: %j',
  async (text) => {
    await using folder = await linkPackage();
    await writeFile(join(folder.path, '.env'), Buffer.from(text, 'utf16le'));
    await using profile = run([LAUNCHER, '--profile'], {}, process.execPath, {
      cwd: folder.path,
    });

    expect(await profile.exit()).toBe(1);
    expect(profile.errors).toEqual([
      'The file .env of this folder is not in UTF-8: save it in UTF-8.',
    ]);
  },
);
