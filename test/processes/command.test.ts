import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { USAGE } from '../../src/arguments.ts';
import { loadConfig } from '../../src/config.ts';
import { describeProfile } from '../../src/messaging/open-points.ts';
import { LAUNCHER, run, runToEnd, toAddress } from '../support/command.ts';
import { ask } from '../support/gateway.ts';
import { startGatewayProcess, startScriptedProcess } from '../support/gateway-process.ts';
import { NOWHERE, servePlain } from '../support/http.ts';
import { linkPackage } from '../support/package-folder.ts';
import { answering } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const MESSAGE_QUERY = '{ message(id: "m1") { message } }';
const SAMPLE_TOKEN = 'ada-sample-token';

describe('the start', () => {
  test('the first line has the address; sample tokens and a working curl command follow', async () => {
    await using gateway = run([LAUNCHER]);
    const address = toAddress(await gateway.first());
    await expect.poll(() => gateway.lines.length).toBeGreaterThanOrEqual(7);
    const curl = gateway.lines[6] ?? '';

    await using shell = run(['-c', curl], {}, '/bin/sh');
    await shell.exit();
    const { data } = await ask(
      address,
      '{ conversation(id: "conv_lisbon_trip") { createdAtIso } }',
      { token: SAMPLE_TOKEN },
    );

    expect(curl).toContain(`curl ${address}/graphql`);
    expect(JSON.parse(shell.lines.join('')).data.conversations.nodes).toHaveLength(3);
    expect(gateway.lines.slice(2, 5)).toEqual([
      'Sample tokens:',
      '  ada-sample-token  (ada)',
      '  grace-sample-token  (grace)',
    ]);
    // Date-times need no setting here.
    expect(data.conversation.createdAtIso).toMatch(/^20\d\d-.*Z$/);
    expect(gateway.errors).toEqual([]);
  });

  test.each([[{}], [{ WORKERS: '2' }]])('on a port in use ends: %j', async (env) => {
    await using taken = await servePlain();

    expect(await runToEnd([], { PORT: `${taken.port}`, ...env })).toEqual({
      status: 1,
      lines: [],
      errors: [expect.stringMatching(/EADDRINUSE.*set PORT/)],
    });
  });
});

const PORT = 'PORT="abc": takes an integer from 0 to 65535';
/** One of several processes reads it, and the password in it is no part of the line. */
const MANIFEST = { TRUSTED_DOCUMENTS: 'http://ann:s3cret@api.example', WORKERS: '2' };
const UNREADABLE =
  'TRUSTED_DOCUMENTS="http://[hidden]@api.example": takes the path of a manifest of documents; the file cannot be read: ENOENT';

test.each<[words: string[], env: Record<string, string>, errors: string[]]>([
  [
    [],
    { PORT: 'abc', PAGING: 'magic' },
    [PORT, 'PAGING="magic": takes one of auto, limit, starting_after, offset, page'],
  ],
  [[], MANIFEST, [UNREADABLE]],
  [['--profile'], { PORT: 'abc' }, [PORT]],
  [
    ['embedded', 'order=sideways', 'mood=good'],
    {},
    [
      expect.stringMatching(/^order=sideways: /),
      expect.stringMatching(/^mood=good: /),
    ] as unknown as string[],
  ],
])('wrong settings end it with one line each: %j %j', async (words, env, errors) => {
  expect(await runToEnd(words, env)).toEqual({ status: 1, lines: [], errors });
});

test('wrong words end it with status 1, one sentence and the usage', async () => {
  const { status, lines, errors } = await runToEnd(['serve', 'http://ann:s3cret@x']);

  expect({ status, lines }).toEqual({ status: 1, lines: [] });
  expect(errors.join('\n')).toBe(`There is no command "serve".\n\n${USAGE}`);
});

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

test.each([
  [['--help'], USAGE],
  [['probe', '--help'], expect.stringContaining('messaging-graphql probe')],
  [['--version'], version],
])('%j says so with status 0', async (words, text) => {
  const { status, lines, errors } = await runToEnd(words);

  expect(lines.join('\n')).toEqual(text);
  // So V8 knows all options that the command sets.
  expect({ status, errors }).toEqual({ status: 0, errors: [] });
});

describe('schema', () => {
  test('prints schema.graphql and ends, whatever the settings', async () => {
    const { status, lines, errors } = await runToEnd(['schema'], {
      MESSAGING_URL: 'nonsense',
    });

    expect({ status, errors }).toEqual({ status: 0, errors: [] });
    expect(`${lines.join('\n')}\n`).toBe(readFileSync('schema.graphql', 'utf8'));
  });

  test('--federation prints what a gateway says of itself to composers', async () => {
    await using gateway = await startGatewayProcess(NOWHERE);
    const { status, lines } = await runToEnd(['schema', '--federation']);

    const { data } = await gateway.ask('{ _service { sdl } }');

    expect(status).toBe(0);
    expect(data._service.sdl).toBe(lines.join('\n'));
  });
});

describe('--profile', () => {
  test('prints a heading and one line for each open point, and ends without starting a server', async () => {
    const env = { MESSAGING_URL: NOWHERE, MAX_RESTCALLS: '5' };
    const { status, lines, errors } = await runToEnd(['--profile'], env);

    expect(status).toBe(0);
    expect(lines).toEqual(describeProfile(loadConfig({})));
    expect(lines).toHaveLength(20);
    expect(errors).toEqual([
      'MAX_RESTCALLS is not a setting. Did you mean MAX_REST_CALLS?',
    ]);
  });

  test('knows the unit of the embedded service', async () => {
    const { lines } = await runToEnd(['--profile']);

    expect(lines[4]).toBe('open point 4, timestamp unit: seconds (TIMESTAMP_UNIT)');
  });
});

test('the embedded command starts only that service, with the answers given as arguments', async () => {
  await using service = run([LAUNCHER, 'embedded', 'order=oldest', 'maxLimit=2']);
  const address = toAddress(await service.first());

  const response = await fetch(`${address}/v1/conversations?limit=5`, {
    headers: { authorization: `Bearer ${SAMPLE_TOKEN}` },
  });
  const { data } = (await response.json()) as { data: unknown[] };
  service.child.kill('SIGTERM');

  expect(data).toHaveLength(2);
  expect(await service.exit()).toBe(0);
});

test('the probe prints settings, and refuses a token as an argument without repeating it', async () => {
  await using service = run([LAUNCHER, 'embedded', 'paging=offset']);
  const address = toAddress(await service.first());
  const token = { MESSAGING_TOKEN: SAMPLE_TOKEN };
  const probed = await runToEnd(['probe', address, '--env'], token);
  const wrong = await runToEnd(['probe', address, 'my-secret-token'], token);

  expect(probed).toMatchObject({
    status: 0,
    lines: [`MESSAGING_URL=${address}`, 'PAGING=offset', 'TIMESTAMP_UNIT=seconds'],
  });
  expect(wrong.status).toBe(1);
  expect(wrong.errors.join()).not.toContain('my-secret-token');
});

describe('the end', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'after %s, operations in flight finish and the exit status is 0',
    async (signal) => {
      await using gateway = await startScriptedProcess({
        'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 400 }),
      });
      const answer = gateway.ask(MESSAGE_QUERY);
      await expect.poll(() => gateway.service.calls.length).toBe(1);
      gateway.child.kill(signal);

      expect((await answer).data).toEqual({ message: { message: 'text m1' } });
      expect(await gateway.exit()).toBe(0);
    },
  );

  test('a second signal exits at once with status 1', async () => {
    await using gateway = await startScriptedProcess(() => ({ delayMs: 60_000 }));
    gateway.ask(MESSAGE_QUERY).catch(() => {});
    await expect.poll(() => gateway.service.calls.length).toBe(1);
    gateway.child.kill('SIGTERM');
    await expect
      .poll(async () => (await fetch(`${gateway.url}/readyz`)).status)
      .toBe(503);
    // A signal that comes at once may be the first one, passed on by npm.
    await sleep(100);
    gateway.child.kill('SIGTERM');

    expect(await gateway.exit()).toBe(1);
  });

  test('npm start passes on SIGTERM and the exit status', async () => {
    await using folder = await linkPackage();
    const { path: cwd } = folder;
    await using gateway = run(['start', '--silent'], {}, 'npm', { cwd });
    await gateway.first();
    gateway.child.kill('SIGTERM');
    await using wrong = run(['start', '--silent'], { PORT: 'abc' }, 'npm', { cwd });

    expect(await gateway.exit()).toBe(0);
    expect(await wrong.exit()).toBe(1);
    expect(wrong.errors).toEqual([PORT]);
  });

  test('a log that nobody reads delays neither operations nor the exit', async () => {
    await using gateway = await startGatewayProcess(NOWHERE);
    gateway.child.stdout?.pause();
    const query = `query ${'N'.repeat(250)} { __typename }`;
    const askOnce = () => gateway.ask(query, { signal: AbortSignal.timeout(60_000) });

    // More lines than a pipe holds.
    for (let turn = 0; turn < 25; turn += 1)
      await Promise.all(Array.from({ length: 50 }, askOnce));
    const { data } = await askOnce();
    const exited = once(gateway.child, 'exit');
    gateway.child.kill('SIGTERM');

    expect(data).toEqual({ __typename: 'Query' });
    expect(await exited).toEqual([0, null]);
  });
});
