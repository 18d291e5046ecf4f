import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { NOWHERE } from '../support/http.ts';
import {
  answering,
  LONG_ANSWER_BYTES,
  LONG_QUERY,
  startLongService,
  startUpstream,
} from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const startSlowService = () =>
  startUpstream({
    'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 300 }),
  });
const MESSAGE = '{ message(id: "m1") { message } }';

const healthOf = (url: string) =>
  Promise.all(
    ['healthz', 'readyz'].map(async (path) => (await fetch(`${url}/${path}`)).status),
  );

describe('a gateway that stops', () => {
  test('finishes the operations it accepted, and meanwhile is alive but not ready', async () => {
    await using upstream = await startSlowService();
    const gateway = await startTestGateway(upstream.url);
    const asked = gateway.ask(MESSAGE);
    await expect.poll(() => upstream.calls.length).toBe(1);

    const before = await healthOf(gateway.url);
    const stopped = gateway.close();
    const meanwhile = await healthOf(gateway.url);

    expect(before).toEqual([200, 200]);
    expect(meanwhile).toEqual([200, 503]);
    expect((await asked).data).toEqual({ message: { message: 'text m1' } });
    await stopped;
    await expect(fetch(`${gateway.url}/healthz`)).rejects.toThrow();
  });

  test('waits as long as an operation may take, even the longest OPERATION_TIMEOUT_MS', async () => {
    await using upstream = await startSlowService();
    const gateway = await startTestGateway(upstream.url, {
      OPERATION_TIMEOUT_MS: '2147483647',
    });
    const asked = gateway.ask(MESSAGE);
    await expect.poll(() => upstream.calls.length).toBe(1);

    await gateway.close();

    expect((await asked).data).toEqual({ message: { message: 'text m1' } });
  });

  test('answers on connections that stay open, and closes them', async () => {
    await using upstream = await startSlowService();
    const gateway = await startTestGateway(upstream.url);
    const asked = gateway.ask(MESSAGE);
    await expect.poll(() => upstream.calls.length).toBe(1);

    const stopped = gateway.close();
    const meanwhile = await gateway.ask('{ __typename }');

    expect(meanwhile.data).toEqual({ __typename: 'Query' });
    expect(meanwhile.headers.get('connection')).toBe('close');
    await Promise.all([asked, stopped]);
  });

  test('closes its port although a client does not read its answer, and lets it read on', async () => {
    await using upstream = await startLongService();
    const gateway = await startTestGateway(upstream.url);
    const { hostname, port } = new URL(gateway.url);
    const body = JSON.stringify({ query: LONG_QUERY });
    const client = connect(Number(port), hostname);
    client.write(
      `POST /graphql HTTP/1.1\r\nhost: x\r\nauthorization: Bearer t\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    const [first] = (await once(client, 'data')) as [Buffer];
    client.pause();

    const stopped = gateway.close();
    await expect
      .poll(() =>
        fetch(`${gateway.url}/healthz`).then(
          () => 'open',
          () => 'closed',
        ),
      )
      .toBe('closed');

    let read = first.length;
    client.on('data', (part: Buffer) => {
      read += part.length;
    });
    client.resume();
    await Promise.all([once(client, 'close'), stopped]);
    expect(read).toBeGreaterThan(LONG_ANSWER_BYTES);
  });

  test('does not wait for requests that never end', async () => {
    const gateway = await startTestGateway(NOWHERE);
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    socket.write('POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    await once(socket, 'connect');
    await gateway.ask('{ __typename }');

    await expect(gateway.close()).resolves.toBeUndefined();
    socket.destroy();
  });

  test('does not wait for idle connections', async () => {
    const gateway = await startTestGateway(NOWHERE);
    await gateway.ask('{ __typename }');

    await expect(gateway.close()).resolves.toBeUndefined();
  });
});

/** Sends a message over the connection of `agent`; resolves to its text, or to null if there is no answer. */
function send(url: string, agent: Agent, text: string): Promise<string | null> {
  const query = `mutation { sendMessage(input: { conversationId: "c1", message: "${text}" }) { message { message } } }`;
  return new Promise((resolve) => {
    const asking = request(`${url}/graphql`, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json', authorization: 'Bearer t' },
    });
    asking.on('error', () => resolve(null));
    asking.on('response', async (response) => {
      const body = Buffer.concat(await response.toArray()).toString();
      resolve(JSON.parse(body).data.sendMessage.message.message);
    });
    asking.end(JSON.stringify({ query }));
  });
}

test('SIGTERM under load loses no operation that was accepted, and the command exits with 0', async () => {
  const toText = ({ form }: { form: string }) => new URLSearchParams(form).get('message');
  await using upstream = await startUpstream((call) => ({
    body: wireMessage('m1', { message: toText(call) }),
    delayMs: 20,
  }));
  await using gateway = await startGatewayProcess(upstream.url);
  const answered = new Set<string | null>();
  let isOver = false;
  const clients = Array.from({ length: 20 }, async (_, client) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let turn = 0; !isOver; turn += 1) {
      const text = await send(gateway.url, agent, `${client}-${turn}`);
      if (text === null) break; // the gateway closed the connection, or is gone
      answered.add(text);
    }
    agent.destroy();
  });
  await expect.poll(() => answered.size).toBeGreaterThan(200);

  gateway.child.kill('SIGTERM');
  const status = await gateway.exit();
  isOver = true;
  await Promise.all(clients);

  const accepted = upstream.calls.map(toText);
  expect(status).toBe(0);
  expect(accepted.filter((text) => !answered.has(text))).toEqual([]);
  expect(new Set(accepted).size).toBe(accepted.length);
});
