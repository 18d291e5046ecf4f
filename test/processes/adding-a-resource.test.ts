import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { copyRepository } from '../support/copy-repository.ts';

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
  'test/trust/fuzz-mutations.test.ts',
];

test('with the worked example of CONTRIBUTING.md, a copy of the repository has groups, and its tests pass', async () => {
  await using copy = await copyRepository();
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: copy.path, encoding: 'utf8' });

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
}, 600_000);
