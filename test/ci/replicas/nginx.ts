import { readFileSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf, run as start } from '../../support/command.ts';
import { certificateFile } from '../../support/tls-service.ts';
import { run } from '../processes.ts';
import { until } from './ports.ts';

/** docs/scaling.md: after this time old workers have only streams left. Unit: milliseconds. */
const ANSWERED_MS = 1000;
/** Workers write long bodies into the folder, which only this user may enter. Only root can choose the user of workers. */
const USER = process.getuid?.() === 0 ? 'user root;' : '';
const DEPLOY = join(import.meta.dirname, '../../../deploy');
const DEBIAN = '/etc/nginx';
/** Of Debian's files: `conf.d/` comes before `sites-enabled/`, whose only site is the default of its port. */
const MAIN = 'nginx.conf';
const STOCK_SITE = 'sites-enabled/default';
const OUR_SITE = 'conf.d/messaging-graphql.conf';
const TLS = 'messaging-graphql-tls.conf';

/** Starts nginx as Debian sets it up, with the files of deploy/ added; only ports, folders and bounds differ. `tlsPort`: with TLS. */
export async function startNginx(
  folder: string,
  port: number,
  ports: readonly number[],
  tlsPort = 0,
) {
  const etc = join(folder, 'nginx');
  await cp(DEBIAN, etc, { recursive: true, dereference: true });
  await cp(join(DEPLOY, 'nginx.conf'), join(etc, OUR_SITE));
  const files = [MAIN, STOCK_SITE, OUR_SITE];
  if (tlsPort > 0) files.push(TLS);
  if (tlsPort > 0) await cp(join(DEPLOY, 'nginx-tls.conf'), join(etc, TLS));
  const changes: [RegExp, string][] = [
    [/listen (.*\b)80\b/g, `listen $1${port}`],
    [/listen (.*\b)443\b/g, `listen $1${tlsPort}`],
    [/(ssl_certificate) .*;/g, `$1 ${certificateFile('fitting')};`],
    [/(ssl_certificate_key) .*;/g, `$1 ${certificateFile('key')};`],
    [/^user .*;/gm, USER],
    [/^worker_processes .*;/gm, 'worker_processes 2; daemon off;'],
    [/worker_connections .*;/g, 'worker_connections 4096;'],
    [/^pid .*;/gm, `pid ${folder}/nginx.pid;`],
    [/error_log .*;/g, 'error_log stderr warn;'],
    [
      /access_log .*;/g,
      `access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
       fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;`,
    ],
    [/\/etc\/nginx\//g, `${etc}/`],
  ];
  for (const file of files) {
    const text = readFileSync(join(etc, file), 'utf8');
    const changed = changes.reduce((now, [from, to]) => now.replaceAll(from, to), text);
    await writeFile(join(etc, file), changed);
  }
  const config = join(etc, MAIN);
  const list = join(etc, 'messaging-graphql-replicas.conf');
  const writeList = (routed: readonly number[]) => writeFile(list, toList(ports, routed));
  await writeList(ports);
  await run('nginx', ['-t', '-q', '-c', config]);
  const nginx = start(['-c', config], {}, 'nginx');
  const { pid = Number.NaN } = nginx.child;
  const workers = () => childrenOf(pid);
  const url = `http://127.0.0.1:${port}`;
  await until('nginx answers', async () => (await statusOf(`${url}/healthz`)) > 0);
  return {
    url,
    /**
     * Routes to these ports only, and returns when nothing goes to others any more. `withStreams`: but for streams, which stay
     * with the workers that carry them.
     */
    async routeTo(routed: readonly number[], { withStreams } = { withStreams: false }) {
      const before = workers();
      await writeList(routed);
      process.kill(pid, 'SIGHUP');
      // The old workers end when they have answered what they had accepted.
      await until('nginx has changed its workers', () => {
        const now = workers();
        const added = now.filter((pid) => !before.includes(pid));
        return added.length === 2 && (withStreams || now.length === 2);
      });
      if (withStreams) await sleep(ANSWERED_MS);
    },
    [Symbol.asyncDispose]: async () => {
      await nginx.end('SIGTERM');
    },
  };
}

/** The list of deploy/, with other ports and with `down` for those that get nothing. */
function toList(ports: readonly number[], routed: readonly number[]): string {
  const lines = readFileSync(join(DEPLOY, 'replicas.conf'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('server '));
  return ports
    .map((port, index) => {
      const line = (lines[index] ?? '').replace(/:\d+/, `:${port}`);
      return routed.includes(port) ? line : line.replace(';', ' down;');
    })
    .join('\n');
}

/** 0: it cannot be reached. */
export const statusOf = (url: string): Promise<number> =>
  fetch(url, { redirect: 'manual' }).then(
    ({ status }) => status,
    () => 0,
  );
