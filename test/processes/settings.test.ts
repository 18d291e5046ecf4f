import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { startGateway } from '../../src/gateway.ts';
import { NOWHERE } from '../support/http.ts';

/** Runs a module in a process of its own, which must end by itself. */
const runAlone = (module: string) =>
  spawnSync(process.execPath, ['--input-type=module', '-e', module], {
    encoding: 'utf8',
  });

test('a port that is taken rejects the start, and leaves nothing open', async () => {
  await using first = await startGateway({
    messagingUrl: NOWHERE,
    port: 0,
    logLevel: 'silent',
  });
  const { port } = new URL(first.url);

  const { stdout, status } = runAlone(
    `const { startGateway } = await import('./src/gateway.ts');
     await startGateway({ port: ${port}, logLevel: 'silent' }).catch(({ code }) => process.stdout.write(code));`,
  );

  expect({ stdout, status }).toEqual({ stdout: 'EADDRINUSE', status: 0 });
});

test('a process ends by itself when its gateway is closed', () => {
  const { stdout, status } = runAlone(
    `const { createGateway } = await import('./src/gateway.ts');
     const gateway = await createGateway({ logLevel: 'silent' });
     const { data } = await gateway.execute({ query: '{ conversations(first: 1) { nodes { id } } }', token: 'ada-sample-token' });
     await gateway.close();
     process.stdout.write(String(data.conversations.nodes.length));`,
  );

  expect({ stdout, status }).toEqual({ stdout: '1', status: 0 });
});
