import { expect, test } from 'vitest';
import { expectMisfit, type Ran, TOKEN } from '../probe/support.ts';
import { runToEnd } from '../support/command.ts';
import { startTlsService, TRUST } from '../support/tls-service.ts';

/** Runs the check as a user does, in a process: Node reads the certificates that it trusts when it starts. */
async function runCheckProcess(env: Record<string, string>): Promise<Ran> {
  const { status, lines, errors } = await runToEnd(['check'], {
    MESSAGING_TOKEN: TOKEN,
    ...env,
  });
  return { status, out: lines.join('\n'), err: errors.join('\n') };
}

test.each([
  ['authority', {}, "the service's certificate is self-signed", 'REST_CA'],
  ['expired', TRUST, "the service's certificate has expired", 'Renew the certificate'],
  [
    'other-host',
    TRUST,
    "the service's certificate is for another host",
    'Set MESSAGING_URL to a host that the certificate names',
  ],
  [
    'fitting',
    {},
    "the service's certificate is from an authority that is not trusted",
    'REST_CA',
  ],
] as const)(
  'a certificate that is refused: %s with %j',
  async (name, env, words, change) => {
    await using service = await startTlsService(name);

    const checked = await runCheckProcess({ ...env, MESSAGING_URL: service.url });

    expectMisfit(checked, words, change);
  },
);

test('a service with a trusted certificate fits', async () => {
  await using service = await startTlsService('fitting');

  const { status, out } = await runCheckProcess({ ...TRUST, MESSAGING_URL: service.url });

  expect(out).toContain(`service   it answers at ${service.url}`);
  expect(out).toContain('shows 1 conversation and 1 message');
  expect(status).toBe(0);
});
