import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { startScriptedProcess } from '../support/gateway-process.ts';
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
