import { Agent, request } from 'node:http';
import { expect, test } from 'vitest';
import { run, toAddress } from './support/command.ts';
import { startUpstream } from './support/upstream.ts';
import { wireMessage } from './support/wire.ts';

const CLIENTS = 20;

/** Sends one message over a kept connection; resolves to its text once it is answered, to null if it is not. */
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

test('SIGTERM under load over kept connections loses no operation that was accepted, and exits with 0', async () => {
  await using upstream = await startUpstream(({ form }) => ({
    body: wireMessage('m1', { message: new URLSearchParams(form).get('message') }),
    delayMs: 20,
  }));
  await using gateway = run(['bin/messaging-graphql.js'], {
    MESSAGING_URL: upstream.url,
  });
  const url = toAddress(await gateway.first());
  const answered = new Set<string>();
  let isOver = false;

  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let turn = 0; !isOver; turn += 1) {
      const text = await send(url, agent, `${client}-${turn}`);
      if (text === null) break; // sent elsewhere, or to nobody: the gateway is gone
      answered.add(text);
    }
    agent.destroy();
  });
  await expect.poll(() => answered.size, { timeout: 10_000 }).toBeGreaterThan(200);
  gateway.child.kill('SIGTERM');
  const status = await gateway.exit();
  isOver = true;
  await Promise.all(clients);

  const accepted = upstream.calls.map(({ form }) =>
    new URLSearchParams(form).get('message'),
  );
  expect(status).toBe(0);
  expect(accepted.filter((text) => !answered.has(text ?? ''))).toEqual([]);
  expect(new Set(accepted).size).toBe(accepted.length);
}, 30_000);
