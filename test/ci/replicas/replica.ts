import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Running, run } from '../../support/command.ts';
import { ROOT } from '../processes.ts';
import { statusOf } from './nginx.ts';
import { until } from './ports.ts';

const UNIT = readFileSync(join(ROOT, 'deploy/messaging-graphql@.service'), 'utf8');

/** The unit with the paths of this machine. */
export const localUnit = (environmentFile: string): string =>
  UNIT.replaceAll('/usr/bin/node', process.execPath)
    .replaceAll('/opt/messaging-graphql', ROOT)
    .replaceAll('/etc/messaging-graphql.env', environmentFile);

const settingOf = (unit: string, name: string): string =>
  new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

/** Starts a replica as systemd does: the command and the environment of the unit, and nothing else. */
export async function startReplica(
  port: number,
  environmentFile: string,
): Promise<Running> {
  const unit = localUnit(environmentFile).replaceAll('%i', `${port}`);
  const [command = '', ...words] = settingOf(unit, 'ExecStart').split(' ');
  const env = [
    ...settingOf(unit, 'Environment').split(' '),
    ...readFileSync(settingOf(unit, 'EnvironmentFile'), 'utf8').trim().split('\n'),
  ].map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]);
  const replica = run(words, Object.fromEntries(env), command);
  await until(
    'a replica is ready',
    async () => (await statusOf(`http://127.0.0.1:${port}/readyz`)) === 200,
  );
  return replica;
}
