import type { ServerResponse } from 'node:http';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { memoryOf } from '../../bench/process.ts';
import { startGatewayProcess, startScriptedProcess } from '../support/gateway-process.ts';
import { NOWHERE } from '../support/http.ts';
import { MARGIN } from '../support/measured.ts';
import { named, sha256 } from '../support/persisted.ts';
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

// security: kept-texts
test('a text that is registered by GET is kept without the rest of its address', async () => {
  // The addresses of all would take more than this heap leaves.
  const heap = ['--max-old-space-size=64'];
  await using gateway = await startScriptedProcess(undefined, {}, heap);
  // What strangers send would be read in turns.
  await gateway.ask('{ message(id: "m1") { id } }');
  const padding = 'x'.repeat(15_000);
  const register = async (query: string) => {
    const extensions = encodeURIComponent(JSON.stringify(named(sha256(query))));
    const url = `${gateway.url}/graphql?query=${query}&extensions=${extensions}&x=${padding}`;
    const answer = await fetch(url, { headers: { authorization: 'Bearer ann-token' } });
    return answer.json();
  };

  for (let count = 0; count < 4000; count += 20) {
    const names = Array.from({ length: 20 }, (_, at) => `a${count + at}`);
    const answers = await Promise.all(
      names.map((name) => register(`{${name}:__typename}`)),
    );
    expect(answers).toEqual(names.map((name) => ({ data: { [name]: 'Query' } })));
  }
});
