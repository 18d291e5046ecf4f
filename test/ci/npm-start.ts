import { deepEqual, equal } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { run, toAddress } from '../support/command.ts';
import { ask } from '../support/gateway.ts';
import { linkPackage } from '../support/package-folder.ts';
import { wireMessage } from '../support/wire.ts';
import { check } from './check.ts';

/** Presses Ctrl-C in `npm start`. Not in `npm test`: the gateway expects the signal that npm passes on within 50 ms. */

await check(
  'Ctrl-C finishes what was accepted, though the signal comes twice',
  async () => {
    const service = createServer().listen(0, '127.0.0.1');
    await once(service, 'listening');
    const { port } = service.address() as AddressInfo;
    await using folder = await linkPackage();
    const env = { MESSAGING_URL: `http://127.0.0.1:${port}` };
    await using gateway = run(['start', '--silent'], env, 'npm', {
      detached: true,
      cwd: folder.path,
    });
    const url = toAddress(await gateway.first());
    const called = new Promise<ServerResponse>((resolve) => {
      service.on('request', (request, response) => {
        if (request.url?.endsWith('/m1')) resolve(response);
        else response.end('{}');
      });
    });
    const answer = ask(url, '{ message(id: "m1") { message } }');
    const response = await called;

    // As a terminal does: to the whole process group, npm included, which passes it on.
    process.kill(-(gateway.child.pid ?? Number.NaN), 'SIGINT');
    setTimeout(() => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(wireMessage('m1')));
    }, 500);

    deepEqual((await answer).data, { message: { message: 'text m1' } });
    equal(await gateway.exit(), 0);
    service.closeAllConnections();
    service.close();
  },
);
