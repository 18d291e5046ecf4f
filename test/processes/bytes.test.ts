import type { ServerResponse } from 'node:http';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { memoryOf } from '../../bench/process.ts';
import { startGatewayProcess, startScriptedProcess } from '../support/gateway-process.ts';
import { NOWHERE } from '../support/http.ts';
import { MARGIN } from '../support/measured.ts';
import { wireMessage } from '../support/wire.ts';

// security: answer-by-bytes
test('an answer of the service takes no more memory if it arrives byte by byte', async () => {
  const json = JSON.stringify(wireMessage('m1', { message: 'x'.repeat(2_000_000) }));
  const service = () => ({
    async write(response: ServerResponse) {
      response.socket?.cork();
      response.socket?.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      for (let at = 0; at < json.length; at += 10_000) {
        const bytes = json.slice(at, at + 10_000).split('');
        response.socket?.write(bytes.map((byte) => `1\r\n${byte}\r\n`).join(''));
      }
      response.socket?.write('0\r\n\r\n');
      response.socket?.uncork();
    },
  });
  // Two million parts would take more than twice this heap.
  const heap = ['--max-old-space-size=96'];
  await using gateway = await startScriptedProcess(service, {}, heap);

  const { data } = await gateway.ask('{ message(id: "m1") { id message } }');

  expect(data.message.id).toBe('m1');
  expect(data.message.message).toHaveLength(2_000_000);
});

// security: compressed-bodies
test('hundreds of bodies of a few bytes, compressed from megabytes, hold no memory together', async () => {
  await using gateway = await startGatewayProcess(NOWHERE);
  const { pid = 0 } = gateway.child;
  const before = memoryOf(pid);
  const body = brotliCompressSync(Buffer.alloc(16_000_000, ' '));
  const headers = { 'content-type': 'application/json', 'content-encoding': 'br' };
  const sending = Array.from({ length: 400 }, () =>
    fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body }),
  );

  const answers = await Promise.all(sending);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([413]));
  expect(memoryOf(pid, 'VmHWM') - before).toBeLessThan(MARGIN * 200_000_000);
});
