import { execFileSync, spawnSync } from 'node:child_process';
import { beforeAll, expect, test } from 'vitest';

beforeAll(() => {
  execFileSync('npm', ['run', 'build:command']);
});

/** Audits the package with a report in which these packages have a vulnerability. */
function audit(severities: Record<string, string>) {
  const vulnerabilities = Object.fromEntries(
    Object.entries(severities).map(([name, severity]) => [name, { severity }]),
  );
  return spawnSync(process.execPath, ['test/ci/audit.ts'], {
    input: JSON.stringify({ auditReportVersion: 2, vulnerabilities }),
    encoding: 'utf8',
  });
}

test.each([
  ['graphiql', 'the explorer'],
  ['monaco-editor', 'the explorer'],
  ['@graphiql/react', 'the explorer'],
  ['undici', 'the command'],
  ['@apollo/server', 'the command'],
  ['graphql', 'the command'],
])('a severe vulnerability of %s, which is in %s, fails the audit', (name) => {
  const { status, stdout } = audit({ [name]: 'high' });

  expect(status).toBe(1);
  expect(stdout).toContain(`vulnerable: ${name}\n`);
});

test('a slight one, and one of a package that is in none of them, does not', () => {
  expect(audit({ graphiql: 'moderate', vitest: 'critical' }).status).toBe(0);
});
