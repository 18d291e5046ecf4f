import { describe, expect, test } from 'vitest';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { openSocket } from '../support/socket.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

describe('a gateway that stops', () => {
  test('answers what runs over sockets, also writes, then closes them with 1012', async () => {
    await using upstream = await startUpstream({
      'POST /v1/messages': answering({ body: wireMessage('m1'), delayMs: 300 }),
    });
    await using gateway = await startGatewayProcess(upstream.url);
    using socket = await openSocket(gateway.url, { headers: { 'x-request-id': 's' } });
    using silent = await openSocket(gateway.url, { init: false });
    socket.subscribe(
      'm',
      'mutation Send { sendMessage(input: { conversationId: "c1", message: "m" }) { message { id } } }',
    );
    await expect.poll(() => upstream.calls.length).toBe(1);
    const stopped = gateway.stop();

    expect((await socket.next())?.payload.data).toEqual({
      sendMessage: { message: { id: 'm1' } },
    });
    expect(await socket.next()).toEqual({ id: 'm', type: 'complete' });
    expect(await Promise.all([socket.closed, silent.closed])).toEqual([1012, 1012]);
    const entries = await stopped;
    expect(upstream.calls).toHaveLength(1);
    expect(entries.filter(({ msg }) => msg === 'operation')).toMatchObject([
      { requestId: 's.1', operation: 'Send', type: 'mutation', restCalls: 1, codes: [] },
    ]);
  });
});
