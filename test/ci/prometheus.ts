import { equal, ok } from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run as start } from '../support/command.ts';
import type { GraphqlAnswer } from '../support/gateway.ts';
import { startScriptedProcess } from '../support/gateway-process.ts';
import { subscribe } from '../support/subscribe.ts';
import { wireMessage, wirePage } from '../support/wire.ts';
import { check } from './check.ts';
import { ROOT, run } from './processes.ts';
import { statusOf } from './replicas/nginx.ts';
import { findPorts, until } from './replicas/ports.ts';

/** A real Prometheus reads a gateway at work, and is asked every query of the docs, the dashboard and the alerts. */

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const folder = await mkdtemp(join(tmpdir(), 'messaging-graphql-prometheus-'));
await using stack = new AsyncDisposableStack();
stack.defer(() => rm(folder, { recursive: true, force: true }));
const manifest = join(folder, 'manifest.json');
await writeFile(manifest, '{ "a": "{ __typename }" }');

await check('a healthy gateway raises no alert, a sick one raises all', async () => {
  await run('promtool', ['test', 'rules', join(ROOT, 'deploy/alerts.test.yaml')]);
});

let changes = 0;
const SETTINGS = { WORKERS: '2', REDIS_URL: 'redis://127.0.0.1:1' };
const TRUSTED = { TRUSTED_DOCUMENTS: manifest, TRUSTED_DOCUMENTS_MODE: 'report' };
const gateway = await startScriptedProcess(
  ({ line }) => {
    if (line.includes('/m2')) return { status: 503 };
    const message = wireMessage('m1', { message: `${changes++}` });
    const body = line.includes('/m1') ? message : wirePage([message]);
    return { body, headers: { sunset: 'soon' } };
  },
  { ...SETTINGS, ...TRUSTED },
);
stack.use(gateway);
const events = stack.use(
  await subscribe(gateway.url, 'subscription { messageChanged { kind } }'),
);
// Before calls fail: then the watch makes none for a while.
await events.next();
const [port = 0] = await findPorts(1);
const url = `http://127.0.0.1:${port}`;
const targets = `static_configs: [{ targets: ['${new URL(gateway.url).host}'] }]`;
const config = read('deploy/prometheus.yaml')
  .replace('alerts.yaml', join(ROOT, 'deploy/alerts.yaml'))
  .replaceAll('15s', '1s')
  .replace(/dns_sd_configs: .*/, targets);
const file = join(folder, 'prometheus.yaml');
await writeFile(file, config);
const listen = ['--web.listen-address', `127.0.0.1:${port}`];
const words = ['--config.file', file, '--storage.tsdb.path', folder, ...listen];
stack.use(start(words, {}, 'prometheus'));
await until(
  'Prometheus is ready',
  async () => (await statusOf(`${url}/-/ready`)) === 200,
);

interface PrometheusAnswer extends Pick<GraphqlAnswer, 'data'> {
  readonly error?: string;
}
const api = async (path: string): Promise<PrometheusAnswer> =>
  JSON.parse(await (await fetch(`${url}/api/v1/${path}`)).text());

/** What a query reads: each metric with the labels by which it is chosen, and the labels by which a single one is grouped. */
function partsOf(query: string): string[] {
  const labels = query.match(/(?<=by \([^)]*)\w+/g) ?? [];
  const metrics = query.match(/\b(?:gateway_\w+|process_\w+|up\b)(?:\{.*?\})?/g) ?? [];
  ok(metrics.length > 0, `${query} reads nothing`);
  if (metrics.length > 1) return metrics;
  const grouped = labels.map((label) => `count(${metrics[0]}) by (${label})`);
  return [...metrics, ...grouped.map((by) => `${by} unless count(${metrics[0]})`)];
}

async function haveValues(queries: readonly string[], atLeast: number): Promise<void> {
  ok(queries.length >= atLeast, `there are only ${queries.length} queries`);
  for (const query of queries) {
    // What it is compared with is left out, and no bug can be ordered.
    const values = query
      .replace(/ (>|==) [\d.]+( or absent\(.*\))?$/, '')
      .replaceAll('INTERNAL_SERVER_ERROR', 'UPSTREAM_ERROR');
    for (const part of [values, ...partsOf(values)])
      await until(`there is ${part}`, async () => {
        for (const id of ['m1', 'm2'])
          await gateway.ask(`{ message(id: "${id}") { id m: message } }`);
        const { error, data } = await api(`query?query=${encodeURIComponent(part)}`);
        equal(error, undefined, part);
        return data.result.length > 0;
      });
  }
}

const QUERY = /(?<=`|^)(?:sum|max|max_over_time|histogram_quantile)[ (][^`\n]+/gm;
const figures = read('docs/operating.md').replaceAll('\\|', '|').match(QUERY) ?? [];
const panels = read('deploy/dashboard.json').match(/(?<="expr": )".*"/g) ?? [];
const [{ rules }] = (await api('rules')).data.groups;
await check('the queries of the docs have values', () => haveValues(figures, 13));
await check('the queries of the dashboard have values', () =>
  haveValues(
    panels.map((text) => JSON.parse(text)),
    30,
  ),
);
await check('the queries of the alerts have values', () =>
  haveValues(
    rules.map(({ query }: { query: string }) => query),
    12,
  ),
);

await check('the files that compose.yaml mounts are there', async () => {
  const files = read('deploy/compose.yaml').match(/\.\/[\w.]+(?=:)/g) ?? [];
  equal(files.length, 4);
  for (const file of files) ok(existsSync(join(ROOT, 'deploy', file)), file);
});
