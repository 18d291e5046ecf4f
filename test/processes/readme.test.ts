import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { run } from '../support/command.ts';
import { startTestGateway } from '../support/gateway.ts';

const README = readFileSync('README.md', 'utf8');

/** The code blocks that are a command of curl. */
const CURL = /^```sh\n(curl.*?)^```$/gms;

test('what is sent in the second terminal appears in the first', async () => {
  await using service = await startEmbeddedService();
  await using gateway = await startTestGateway(service.url);
  const [subscribing = '', sending = ''] = [...README.matchAll(CURL)].map(
    ([, text = '']) => text.replace('http://127.0.0.1:4000', gateway.url),
  );

  await using first = run(['-c', `exec ${subscribing}`], {}, '/bin/sh');
  await expect.poll(() => first.lines).toContain(':');
  await using second = run(['-c', `exec ${sending}`], {}, '/bin/sh');
  await second.exit();

  await expect.poll(() => first.lines.join()).toContain('"message":"Hello"');
  expect(JSON.parse(second.lines.join('')).errors).toBeUndefined();
});
