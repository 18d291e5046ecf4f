import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RequestTemplate } from './orders.ts';
import { type Running, startServer } from './processes.ts';
import type { Operation } from './workloads.ts';

/** A server to measure. */
export interface Target {
  readonly name: string;
  /** `nodeOptions`: for Node itself. */
  start(messagingUrl: string, nodeOptions?: readonly string[]): Promise<Running>;
  toRequest(operation: Operation): RequestTemplate;
}

interface StartOptions {
  /** Environment variables besides `MESSAGING_URL`. */
  readonly settings?: Record<string, string>;
  /** Whether it has only the measured core. Default: yes, where that is possible. */
  readonly isPinned?: boolean;
}

const PEERS = fileURLToPath(new URL('../peers', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const viaGraphql = ({ graphql }: Operation): RequestTemplate => ({
  method: 'POST',
  path: '/graphql',
  body: JSON.stringify(graphql),
});

const viaEndpoint = ({ endpoint: { path, body } }: Operation): RequestTemplate => ({
  method: body === undefined ? 'GET' : 'POST',
  path,
  body: body === undefined ? '' : JSON.stringify(body),
});

const script = (
  name: string,
  file: string,
  toRequest: Target['toRequest'],
  { settings, isPinned }: StartOptions = {},
): Target => ({
  name,
  toRequest,
  start: (messagingUrl, nodeOptions = []) =>
    startServer([...nodeOptions, file], {
      // Where no file .env changes its settings.
      cwd: tmpdir(),
      env: { MESSAGING_URL: messagingUrl, ...settings },
      isPinned,
    }),
});

/** The gateway of a checkout, or of an installed package, as its launcher starts it. */
export const gateway = (
  directory: string = ROOT,
  name = 'this gateway',
  options?: StartOptions,
): Target =>
  script(name, resolve(directory, 'bin/messaging-graphql.js'), viaGraphql, options);

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
  if (existsSync(resolve(PEERS, 'node_modules/@fastify/compress'))) return;
  say('installing the peers in bench/peers ...');
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: PEERS,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
