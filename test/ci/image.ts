import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run as start } from '../support/command.ts';
import { ask } from '../support/gateway.ts';
import { serve } from '../support/http.ts';
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

  let sent = '';
  const collect: RequestListener = async (request, response) => {
    sent += `${request.method} ${request.url} ${Buffer.concat(await request.toArray())}`;
    response.end();
  };

  const itWorks = async (collector: string, spans: number) => {
    const [port = 0] = await findPorts(1);
    const env = {
      PATH,
      ...image.env,
      PORT: `${port}`,
      MESSAGING_URL: 'embedded',
      WORKERS: '2',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector,
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
    const started = await readFile(`/proc/${gateway.child.pid}/cmdline`, 'utf8');
    equal(started.includes('tracing'), collector !== '', started);
    const read = '{ conversation(id: "conv_lisbon_trip") { id } }';
    await ask(url, read, { token: 'ada-sample-token' });
    equal(await gateway.end('SIGTERM'), 0);
    const count = (text: string) => sent.split(text).length - 1;
    const counts = ['POST /v1/traces', 'graphql.operation.type', 'url.template'].map(
      count,
    );
    deepEqual(counts, [spans, spans, spans], sent);
    const failed = await run(probe, rest, { cwd: app, env }).then(
      () => false,
      () => true,
    );
    ok(failed, 'the health check passes without a gateway');
  };

  await check('it starts, is healthy, and stops gracefully', () => itWorks('', 0));
  await check(
    'with a collector of traces it does the same, and sends it the spans',
    async () => {
      await using collector = await serve(collect);
      await itWorks(collector.url, 1);
    },
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
