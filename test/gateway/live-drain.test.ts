import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { startGrowingList } from '../support/growing-list.ts';
import { readMetric } from '../support/metrics.ts';

/** Some 25 MB, more than the connection holds. */
const EVENTS = 25;

test.each([['text/event-stream'], ['multipart/mixed;subscriptionSpec=1.0']])(
  'a client that does not read its stream does not hold up a stop: %s',
  async (accept) => {
    const message = 'x'.repeat(20_000);
    await using upstream = await startGrowingList({ size: 10, message });
    const gateway = await startTestGateway(upstream.url, {
      LIVE_POLL_MS: '60000',
      MAX_PAGE_SIZE: '10',
    });
    const names = Array.from({ length: 50 }, (_, at) => `m${at}: message { message }`);
    const body = JSON.stringify({
      query: `subscription { messageChanged(conversationId: "c1") { ${names.join(' ')} } }`,
    });
    const { hostname, port } = new URL(gateway.url);
    const client = connect(Number(port), hostname).pause();
    client.on('error', () => {});
    await once(client, 'connect');
    client.write(
      [
        'POST /graphql HTTP/1.1',
        'host: x',
        `accept: ${accept}`,
        'authorization: Bearer ann-token',
        'content-type: application/json',
        `content-length: ${body.length}`,
        '',
        body,
      ].join('\r\n'),
    );
    const subscriptions = () => readMetric(gateway, 'gateway_live_subscriptions');
    await expect.poll(subscriptions).toEqual({ '': 1 });
    for (let sent = 0; sent < EVENTS; sent += 1) {
      await gateway.ask(
        'mutation { sendMessage(input: { conversationId: "c1", message: "m" }) { message { id } } }',
      );
      const changes = () => readMetric(gateway, 'gateway_live_changes_total');
      await expect.poll(changes).toEqual({ '{kind="CREATED"}': sent + 1 });
    }

    // A stop waits up to 31 seconds for what runs.
    await gateway.close();
    client.destroy();
  },
  20_000,
);
