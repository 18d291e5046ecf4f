import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const LEFT_OUT = ['node_modules', 'dist', '.git', 'coverage'].map((name) =>
  resolve(name),
);
const TESTS = [
  'test/gateway/groups.test.ts',
  'test/gateway/types.test.ts',
  'test/gateway/entities.test.ts',
  'test/schema.test.ts',
  'test/layers.test.ts',
  'test/interface.test.ts',
  'test/open-points.test.ts',
  'test/probe/services.test.ts',
  'test/trust/fuzz.test.ts',
];

test('with the worked example of CONTRIBUTING.md, a copy of the repository has groups, and its tests pass', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'adding-a-resource-'));
  try {
    const filter = (path: string) => !LEFT_OUT.includes(resolve(path));
    await cp('.', folder, { recursive: true, filter });
    await symlink(resolve('node_modules'), join(folder, 'node_modules'));
    const run = (command: string, ...args: string[]) =>
      execFileSync(command, args, { cwd: folder, encoding: 'utf8' });

    run('git', 'apply', 'test/adding-a-resource/group.patch');
    run('npm', 'run', '--silent', 'codegen');
    run('npx', '--no', '--', 'tsc');
    const output = run(
      'npx',
      '--no',
      '--',
      'vitest',
      'run',
      '--project',
      'quick',
      ...TESTS,
    );

    expect(output).toContain('groups.test.ts');
  } finally {
    await rm(folder, { recursive: true });
  }
}, 600_000);
