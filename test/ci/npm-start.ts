import { deepEqual, equal } from 'node:assert/strict';
import { run, toAddress } from '../support/command.ts';
import { ask } from '../support/gateway.ts';
import { linkPackage } from '../support/package-folder.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';
import { check } from './check.ts';
import { until } from './replicas/ports.ts';

/** Presses Ctrl-C in `npm start`. Not in `npm test`: the gateway expects the signal that npm passes on within 50 ms. */

await check(
  'Ctrl-C finishes what was accepted, though the signal comes twice',
  async () => {
    await using service = await startUpstream(() => ({
      body: wireMessage('m1'),
      delayMs: 500,
    }));
    await using folder = await linkPackage();
    const env = { MESSAGING_URL: service.url };
    await using gateway = run(['start', '--silent'], env, 'npm', {
      detached: true,
      cwd: folder.path,
    });
    const url = toAddress(await gateway.first());
    const answer = ask(url, '{ message(id: "m1") { message } }');
    await until('the service is called', () => service.calls.length === 1);

    // As a terminal does: to the whole process group, npm included, which passes it on.
    process.kill(-(gateway.child.pid ?? Number.NaN), 'SIGINT');

    deepEqual((await answer).data, { message: { message: 'text m1' } });
    equal(await gateway.exit(), 0);
  },
);
