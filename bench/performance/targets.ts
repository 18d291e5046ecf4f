import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RequestTemplate } from './orders.ts';
import { type Running, startServer } from './processes.ts';
import type { Workload } from './workloads.ts';

/** A server to measure. */
export interface Target {
  readonly name: string;
  start(messagingUrl: string, options?: StartOptions): Promise<Running>;
  request(workload: Workload): RequestTemplate;
  /** Whether a run stops if it makes a call more or less than the workload needs. */
  readonly hasExactCalls: boolean;
}

export interface StartOptions {
  /** For Node itself, as `--inspect`. */
  readonly nodeOptions?: readonly string[];
  /** Environment variables besides `MESSAGING_URL`. */
  readonly settings?: Record<string, string>;
  /** Whether it has only the measured core. Default: yes, where that is possible. */
  readonly isPinned?: boolean;
}

const PEERS = fileURLToPath(new URL('../peers', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const viaGraphql = ({ operation }: Workload): RequestTemplate => ({
  method: 'POST',
  path: '/graphql',
  body: JSON.stringify(operation),
});

const viaEndpoint = ({ endpoint }: Workload): RequestTemplate => ({
  method: endpoint.method,
  path: endpoint.path,
  body: endpoint.body === undefined ? '' : JSON.stringify(endpoint.body),
});

const script = (
  name: string,
  file: string,
  request: Target['request'],
  own: StartOptions = {},
): Target => ({
  name,
  hasExactCalls: !file.startsWith(PEERS),
  request,
  start(messagingUrl, options) {
    const { nodeOptions = [], settings = {}, ...core } = { ...own, ...options };
    return startServer([...nodeOptions, file], {
      // Where no file .env changes its settings.
      cwd: tmpdir(),
      env: { MESSAGING_URL: messagingUrl, ...settings },
      ...core,
    });
  },
});

/** The gateway of a checkout, or of an installed package, as its launcher starts it. */
export const gateway = (
  directory: string = ROOT,
  name = 'this gateway',
  own?: StartOptions,
): Target =>
  script(name, resolve(directory, 'bin/messaging-graphql.js'), viaGraphql, own);

export const floor: Target = script(
  'floor: hand-written endpoint',
  resolve(ROOT, 'bench/performance/floor.ts'),
  viaEndpoint,
);

export const peers: readonly Target[] = [
  script('Apollo Server + datasource-rest', resolve(PEERS, 'apollo.js'), viaGraphql),
  script('Mercurius + jit', resolve(PEERS, 'mercurius.js'), viaGraphql),
];

/** Installs the peers' packages if they are missing. They are not the project's own dependencies. */
export function installPeers(say: (line: string) => void): void {
  if (existsSync(resolve(PEERS, 'node_modules/mercurius'))) return;
  say('installing the peers in bench/peers ...');
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: PEERS,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
