import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Audits the explorer with a report in which these packages have a vulnerability. */
function audit(severities: Record<string, string>) {
  const vulnerabilities = Object.fromEntries(
    Object.entries(severities).map(([name, severity]) => [name, { severity }]),
  );
  return spawnSync(process.execPath, ['test/ci/audit-explorer.ts'], {
    input: JSON.stringify({ auditReportVersion: 2, vulnerabilities }),
    encoding: 'utf8',
  });
}

test.each([['graphiql'], ['react-dom'], ['monaco-editor'], ['@graphiql/react']])(
  'a severe vulnerability of %s, which is in the explorer, fails the audit',
  (name) => {
    const { status, stdout } = audit({ [name]: 'high' });

    expect(status).toBe(1);
    expect(stdout).toContain(`vulnerable: ${name}\n`);
  },
);

test('a slight one, and one of a package that is not in the explorer, does not', () => {
  expect(audit({ graphiql: 'moderate', vitest: 'critical' }).status).toBe(0);
});
