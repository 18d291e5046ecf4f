import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { NOWHERE, sendRaw } from '../support/http.ts';
import { readMetric } from '../support/metrics.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

test('a client that leaves before the end of its body leaves nothing behind', async () => {
  // The gateway waits for running operations before it closes: here, for longer than any test may take.
  await using gateway = await startTestGateway(NOWHERE, {
    OPERATION_TIMEOUT_MS: '2147483647',
  });
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(
    'POST /graphql HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"que',
  );
  socket.resume().end();
  await once(socket, 'close');

  expect((await gateway.ask('{ __typename }')).data).toEqual({ __typename: 'Query' });
  await gateway.close();
});

const typename =
  'POST /graphql HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 24\r\n\r\n{"query":"{__typename}"}';

test('many requests in one moment over one connection are answered, and those before an unreadable one', async () => {
  await using gateway = await startTestGateway(NOWHERE);
  const last = typename.replace('host: a', 'host: a\r\nconnection: close');

  // Its plan is kept when it is sent for the second time.
  for (const _ of [1, 2]) await gateway.ask('{__typename}');
  const many = await sendRaw(gateway.url, typename.repeat(64) + last);
  const broken = await sendRaw(gateway.url, `${typename}${typename}no request\r\n\r\n`);

  expect(many.match(/HTTP\/1\.1 \d+/g)).toEqual(Array(65).fill('HTTP/1.1 200'));
  expect(broken.match(/HTTP\/1\.1 \d+/g)).toEqual([
    'HTTP/1.1 200',
    'HTTP/1.1 200',
    'HTTP/1.1 400',
  ]);
});

test('only answers that were sent are counted', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 60_000 }),
  });
  await using gateway = await startTestGateway(upstream.url);
  const controller = new AbortController();
  const { signal } = controller;
  const asked = gateway.ask('{ message(id: "m1") { id } }', { signal });
  await expect.poll(() => upstream.calls.length).toBe(1);

  controller.abort();
  await expect(asked).rejects.toThrow();
  await expect.poll(() => upstream.aborted.length).toBe(1);
  await gateway.ask('{ __typename }');

  const counted = await readMetric(gateway, 'gateway_http_responses_total');
  expect(counted).toMatchObject({ '{route="/graphql",status="200"}': 1 });
});

test('requests over one connection are all answered if the gateway stops meanwhile', async () => {
  await using upstream = await startUpstream({
    'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 300 }),
    'PUT /v1/messages/m1': wireMessage('m1'),
  });
  const gateway = await startTestGateway(upstream.url);
  const post = (query: string, connection = 'keep-alive') => {
    const body = JSON.stringify({ query });
    return `POST /graphql HTTP/1.1\r\nhost: a\r\nconnection: ${connection}\r\nauthorization: Bearer ann-token\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
  const write =
    'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { id } } }';

  const answered = sendRaw(
    gateway.url,
    post('{ message(id: "m1") { id } }') + post(write) + post(write),
  );
  await expect.poll(() => upstream.calls.length).toBe(3);
  await gateway.close();

  expect((await answered).match(/HTTP\/1\.1 200/g)).toHaveLength(3);
});
