import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run as start } from '../support/command.ts';
import { check } from './check.ts';
import { PATH, ROOT, run } from './processes.ts';
import { buildImage } from './replicas/dockerfile.ts';
import { statusOf } from './replicas/nginx.ts';
import { findPorts, until } from './replicas/ports.ts';

/** Builds what deploy/Dockerfile describes, without a container engine, and starts it as a container would. */

const folder = await mkdtemp(join(tmpdir(), 'messaging-graphql-image-'));
try {
  const image = await buildImage(join(ROOT, 'deploy/Dockerfile'), {
    context: ROOT,
    folder,
  });
  const app = join(image.root, image.workdir);

  await check(
    'it is built in a stage of its own, and runs as another user than root',
    () => {
      equal(image.stages, 2);
      notEqual(image.user, 'root');
      ok(!existsSync(join(app, 'src')), 'the sources are in the image');
      ok(
        !existsSync(join(app, 'node_modules/typescript')),
        'it has tools of development',
      );
      return Promise.resolve();
    },
  );

  await check('it starts, is healthy, and stops gracefully', async () => {
    const [port = 0] = await findPorts(1);
    const env = {
      PATH,
      ...image.env,
      PORT: `${port}`,
      MESSAGING_URL: 'embedded',
      WORKERS: '2',
    };
    const [command = '', ...words] = image.command;
    await using gateway = start(words, env, command, { cwd: app });
    const url = `http://127.0.0.1:${port}`;
    await until('it answers', async () => {
      if (!gateway.isRunning()) throw new Error(gateway.errors.join('\n'));
      return (await statusOf(`${url}/readyz`)) === 200;
    });
    const [probe = '', ...rest] = image.healthCheck;
    deepEqual(await run(probe, rest, { cwd: app, env }), '');
    equal(await gateway.end('SIGTERM'), 0);
    const failed = await run(probe, rest, { cwd: app, env }).then(
      () => false,
      () => true,
    );
    ok(failed, 'the health check passes without a gateway');
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}
