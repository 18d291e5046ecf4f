import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { startScriptedProcess } from '../support/gateway-process.ts';
import { askAndWait, NOWHERE } from '../support/http.ts';
import {
  answering,
  LONG_ANSWER_BYTES,
  LONG_QUERY,
  startLongService,
  startUpstream,
} from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const healthOf = (url: string) =>
  Promise.all(
    ['healthz', 'readyz'].map(async (path) => (await fetch(`${url}/${path}`)).status),
  );

describe('a gateway that stops', () => {
  test('finishes the operations it accepted, however long they may take, answers on open connections and closes them, and meanwhile is alive but not ready', async () => {
    await using upstream = await startUpstream({
      'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 300 }),
    });
    const gateway = await startTestGateway(upstream.url, {
      OPERATION_TIMEOUT_MS: '2147483647',
    });
    const asked = gateway.ask('{ message(id: "m1") { message } }');
    await expect.poll(() => upstream.calls.length).toBe(1);

    const before = await healthOf(gateway.url);
    const stopped = gateway.close();
    const meanwhile = await gateway.ask('{ __typename }');

    expect(before).toEqual([200, 200]);
    expect(await healthOf(gateway.url)).toEqual([200, 503]);
    expect(meanwhile.data).toEqual({ __typename: 'Query' });
    expect(meanwhile.headers.get('connection')).toBe('close');
    expect((await asked).data).toEqual({ message: { message: 'text m1' } });
    await stopped;
    await expect(fetch(`${gateway.url}/healthz`)).rejects.toThrow();
  });

  test('closes its port although a client does not read its answer, and lets it read on', async () => {
    await using upstream = await startLongService();
    const gateway = await startTestGateway(upstream.url);
    const client = await askAndWait(gateway.url, LONG_QUERY, 'slow');

    const stopped = gateway.close();
    await expect
      .poll(() =>
        fetch(`${gateway.url}/healthz`).then(
          () => 'open',
          () => 'closed',
        ),
      )
      .toBe('closed');

    const [read] = await Promise.all([client.toArray(), stopped]);
    expect(Buffer.concat(read).length).toBeGreaterThan(LONG_ANSWER_BYTES);
  });

  test('waits neither for requests that never end nor for idle connections', async () => {
    const gateway = await startTestGateway(NOWHERE);
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    socket.write('POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    await once(socket, 'connect');
    await gateway.ask('{ __typename }');

    await expect(gateway.close()).resolves.toBeUndefined();
    socket.destroy();
  });
});

test('SIGTERM under load loses no operation that was accepted, and the command exits with 0', async () => {
  const toText = ({ form }: { form: string }) => new URLSearchParams(form).get('message');
  await using gateway = await startScriptedProcess((call) => ({
    body: wireMessage('m1', { message: toText(call) }),
    delayMs: 20,
  }));
  const answered = new Set<string | null>();
  let isOver = false;
  const clients = Array.from({ length: 20 }, async (_, client) => {
    for (let turn = 0; !isOver; turn += 1) {
      const text = `${client}-${turn}`;
      const query = `mutation { sendMessage(input: { conversationId: "c1", message: "${text}" }) { message { message } } }`;
      // The gateway closed the connection, or is gone.
      const answer = await gateway.ask(query).catch(() => null);
      if (answer === null) break;
      answered.add(answer.data.sendMessage.message.message);
    }
  });
  await expect.poll(() => answered.size).toBeGreaterThan(200);

  await gateway.stop();
  isOver = true;
  await Promise.all(clients);

  const accepted = gateway.service.calls.map(toText);
  expect(accepted.filter((text) => !answered.has(text))).toEqual([]);
  expect(new Set(accepted).size).toBe(accepted.length);
});
