import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LAUNCHER, run, toAddress } from '../support/command.ts';
import { linkPackage } from '../support/package-folder.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const MESSAGE_QUERY = '{ message(id: "m1") { message } }';

async function ask(address: string, query: string, token = 't'): Promise<unknown> {
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });
  return response.json();
}

test('the first line has the address; sample tokens and a working curl command follow', async () => {
  await using gateway = run([LAUNCHER]);
  const address = toAddress(await gateway.first());
  await expect.poll(() => gateway.lines.length).toBe(7);
  const curl = gateway.lines.at(-1) ?? '';

  await using shell = run(['-c', curl], {}, '/bin/sh');
  await shell.exit();

  expect(curl).toContain(`curl ${address}/graphql`);
  expect(JSON.parse(shell.lines.join('')).data.conversations.nodes).toHaveLength(3);
  expect(gateway.lines.slice(2, 5)).toEqual([
    'Sample tokens:',
    '  ada-sample-token  (ada)',
    '  grace-sample-token  (grace)',
  ]);
  expect(gateway.errors).toEqual([]);
});

test('in front of the embedded service, date-times need no setting', async () => {
  await using gateway = run([LAUNCHER]);
  const address = toAddress(await gateway.first());

  const query = '{ conversation(id: "conv_lisbon_trip") { createdAtIso } }';
  const answer = await ask(address, query, 'ada-sample-token');

  expect(answer).toEqual({
    data: { conversation: { createdAtIso: expect.stringMatching(/^20\d\d-.*Z$/) } },
  });
});

test('schema prints schema.graphql and ends, whatever the settings', async () => {
  await using printed = run([LAUNCHER, 'schema'], { MESSAGING_URL: 'nonsense' });

  expect(await printed.exit()).toBe(0);
  expect(`${printed.lines.join('\n')}\n`).toBe(readFileSync('schema.graphql', 'utf8'));
  expect(printed.errors).toEqual([]);
});

test('schema --federation prints what a gateway says of itself to composers', async () => {
  await using gateway = run([LAUNCHER], { MESSAGING_URL: 'http://127.0.0.1:1' });
  await using printed = run([LAUNCHER, 'schema', '--federation']);
  const answer = await ask(toAddress(await gateway.first()), '{ _service { sdl } }');

  expect(await printed.exit()).toBe(0);
  expect(answer).toEqual({ data: { _service: { sdl: printed.lines.join('\n') } } });
});

test('--federation is an option of schema alone', async () => {
  await using refused = run([LAUNCHER, '--federation']);

  expect(await refused.exit()).toBe(1);
  expect(refused.errors[0]).toContain('--federation');
});

test('schema refuses words that it does not know', async () => {
  await using refused = run([LAUNCHER, 'schema', 'message']);

  expect(await refused.exit()).toBe(1);
  expect(refused.errors).toContain('The command "schema" takes no "message".');
  expect(refused.lines).toEqual([]);
});

test('in front of a real service, the address is the only output', async () => {
  await using upstream = await startUpstream({});
  await using gateway = run([LAUNCHER], { MESSAGING_URL: upstream.url });
  await gateway.first();
  gateway.child.kill('SIGTERM');

  expect(await gateway.exit()).toBe(0);
  expect(gateway.lines).toEqual([
    expect.stringMatching(/^messaging-graphql listens on http:\/\/127\.0\.0\.1:\d+$/),
  ]);
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  'after %s, operations in flight finish and the exit status is 0',
  async (signal) => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 400 }),
    });
    await using gateway = run([LAUNCHER], { MESSAGING_URL: upstream.url });
    const answer = ask(toAddress(await gateway.first()), MESSAGE_QUERY);
    await expect.poll(() => upstream.calls.length).toBe(1);
    gateway.child.kill(signal);

    expect(await answer).toEqual({ data: { message: { message: 'text m1' } } });
    expect(await gateway.exit()).toBe(0);
  },
);

test('a second signal exits at once with status 1', async () => {
  await using upstream = await startUpstream(() => ({ delayMs: 60_000 }));
  await using gateway = run([LAUNCHER], { MESSAGING_URL: upstream.url });
  const address = toAddress(await gateway.first());
  ask(address, MESSAGE_QUERY).catch(() => {});
  await expect.poll(() => upstream.calls.length).toBe(1);
  gateway.child.kill('SIGTERM');
  await expect.poll(async () => (await fetch(`${address}/readyz`)).status).toBe(503);
  // A signal that comes at once may be the first one, passed on by npm.
  await sleep(100);
  gateway.child.kill('SIGTERM');

  expect(await gateway.exit()).toBe(1);
});

test('wrong settings stop the start with status 1 and one line each', async () => {
  await using gateway = run([LAUNCHER], { PORT: 'abc', PAGING: 'magic' });

  expect(await gateway.exit()).toBe(1);
  expect(gateway.lines).toEqual([]);
  expect(gateway.errors).toEqual([
    'PORT="abc": takes an integer from 0 to 65535',
    'PAGING="magic": takes one of auto, limit, starting_after, offset, page',
  ]);
});

test('a port in use stops the start with status 1 and one line', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await using gateway = run([LAUNCHER], { PORT: String(port) });

  expect(await gateway.exit()).toBe(1);
  expect(gateway.errors).toEqual([expect.stringMatching(/EADDRINUSE.*set PORT/)]);
  server.close();
});

test('an unknown command or option exits with status 1 and names it', async () => {
  await using command = run([LAUNCHER, 'serve']);
  await using option = run([LAUNCHER, '--verbose=a-secret']);

  expect(await command.exit()).toBe(1);
  expect(command.errors[0]).toBe('There is no command "serve".');
  expect(await option.exit()).toBe(1);
  expect(option.errors[0]).toBe('There is no option "--verbose".');
  for (const { errors } of [command, option]) {
    expect(errors.join('\n')).toContain('messaging-graphql embedded');
    expect(errors.join('\n')).not.toContain('a-secret');
  }
});

test.each([
  [['http://ann:s3cret@api.example'], {}],
  [['schema', 'http://ann:s3cret@api.example'], {}],
  [['--http://ann:s3cret@api.example'], {}],
  [['embedded', 'http://ann:s3cret@api.example'], {}],
  [['embedded', 'order=http://ann:s3cret@api.example'], {}],
  [[], { TRUSTED_DOCUMENTS: 'http://ann:s3cret@api.example' }],
])(
  'an address in the place of something else is repeated without its password: %j %j',
  async (words, env) => {
    await using command = run([LAUNCHER, ...words], env);

    expect(await command.exit()).toBe(1);
    const errors = command.errors.join('\n');
    expect(errors).toContain('[hidden]@api.example');
    expect(errors).not.toContain('s3cret');
  },
);

test.each([
  [['-x'], 'There is no option "-x".'],
  [['embedded', '--foo'], 'There is no option "--foo".'],
  [['--profile=yes'], '--profile takes no value.'],
  [['embedded', '--profile'], '--profile goes with no command.'],
])(
  'wrong options exit with status 1 and one sentence of our own: %j',
  async (words, line) => {
    await using command = run([LAUNCHER, ...words]);

    expect(await command.exit()).toBe(1);
    expect(command.lines).toEqual([]);
    expect(command.errors[0]).toBe(line);
  },
);

test.each([[['--help']], [['-h']], [['embedded', '--help']]])(
  'help lists the commands: %j',
  async (words) => {
    await using help = run([LAUNCHER, ...words]);

    expect(await help.exit()).toBe(0);
    for (const name of ['check', 'probe', 'embedded', '--profile', '--version']) {
      expect(help.lines.join('\n')).toContain(`messaging-graphql ${name}`);
    }
  },
);

test.each(['probe', 'check'])(
  '%s --help says how to use it, with status 0',
  async (name) => {
    for (const option of ['--help', '-h']) {
      await using help = run([LAUNCHER, name, option]);

      expect(await help.exit()).toBe(0);
      expect(help.lines).toEqual([expect.stringContaining(`messaging-graphql ${name}`)]);
      expect(help.errors).toEqual([]);
    }
  },
);

test.each(['--version', '-v'])('%s prints the version of the package', async (option) => {
  await using version = run([LAUNCHER, option]);

  expect(await version.exit()).toBe(0);
  expect(version.lines).toEqual([
    JSON.parse(readFileSync('package.json', 'utf8')).version,
  ]);
});

test('V8 knows all options that the command sets', async () => {
  await using version = run([LAUNCHER, '--version']);

  expect(await version.exit()).toBe(0);
  expect(version.errors).toEqual([]);
});

test('the embedded command starts only that service, with the answers given as arguments', async () => {
  await using service = run([LAUNCHER, 'embedded', 'order=oldest', 'maxLimit=2']);
  const address = toAddress(await service.first());

  const response = await fetch(`${address}/v1/conversations?limit=5`, {
    headers: { authorization: 'Bearer ada-sample-token' },
  });
  const { data } = (await response.json()) as { data: unknown[] };
  service.child.kill('SIGTERM');

  expect(data).toHaveLength(2);
  expect(await service.exit()).toBe(0);
});

test('the embedded service refuses unknown answers with one line each', async () => {
  await using service = run([LAUNCHER, 'embedded', 'order=sideways', 'mood=good']);

  expect(await service.exit()).toBe(1);
  expect(service.errors.map((line) => line.split(':')[0])).toEqual([
    'order=sideways',
    'mood=good',
  ]);
});

test('a log that nobody reads does not delay the exit', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'messaging-graphql-'));
  const child = spawn(process.execPath, [LAUNCHER], {
    cwd: folder,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [first] = await once(child.stdout, 'data');
  child.stdout.pause();
  const url = /http:\/\/\S+/.exec(String(first))?.[0];
  // More log output than a pipe buffers.
  const query = `query ${'N'.repeat(250)} { __typename }`;
  for (let turn = 0; turn < 100; turn += 1) {
    await Promise.all(
      Array.from({ length: 10 }, () =>
        fetch(`${url}/graphql?query=${query}`, {
          headers: { authorization: 'Bearer t' },
        }),
      ),
    );
  }

  child.kill('SIGTERM');
  const [status] = await once(child, 'exit');
  await rm(folder, { recursive: true });

  expect(status).toBe(0);
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
  expect(wrong.errors).toEqual(['PORT="abc": takes an integer from 0 to 65535']);
});

test('the probe prints settings, and refuses a token as an argument without repeating it', async () => {
  await using service = run([LAUNCHER, 'embedded', 'paging=offset']);
  const address = toAddress(await service.first());
  const token = { MESSAGING_TOKEN: 'ada-sample-token' };
  await using probe = run([LAUNCHER, 'probe', address, '--env'], token);
  await using wrong = run([LAUNCHER, 'probe', address, 'my-secret-token'], token);

  expect(await probe.exit()).toBe(0);
  expect(probe.lines).toEqual([
    `MESSAGING_URL=${address}`,
    'PAGING=offset',
    'TIMESTAMP_UNIT=seconds',
  ]);
  expect(await wrong.exit()).toBe(1);
  expect(wrong.errors.join()).not.toContain('my-secret-token');
});
