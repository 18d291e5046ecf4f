import { describe, expect, test } from 'vitest';
import { startAttackedGateway } from '../../bench/attack/trial/attacked-gateway.ts';
import { ask, type GraphqlAnswer } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

/** No request may keep the thread of the gateway for longer, or make the process gain more. */
const MAX_BUSY_MS = 300;
const MAX_GAINED_BYTES = 200_000_000;

/** What a gateway in a process of its own did while a client sent requests. */
interface Measured {
  readonly answer: GraphqlAnswer;
  /** The longest time for which its thread was busy without a pause. Unit: milliseconds of the processor. */
  readonly busyMs: number;
  /** Unit: bytes. */
  readonly gained: number;
}

async function measure(
  messagingUrl: string,
  send: (url: string) => Promise<GraphqlAnswer>,
): Promise<Measured> {
  await using gateway = await startAttackedGateway(messagingUrl);
  await ask(gateway.url, '{ message(id: "x") { id } }');
  const before = await gateway.settle();
  await gateway.begin();
  const answer = await send(gateway.url);
  const measured = await gateway.end();
  if (measured === null) throw new Error(`The gateway ${gateway.death()}`);
  return { answer, busyMs: measured.cpuMs, gained: measured.peak - before };
}

describe('an answer of the service', () => {
  test.each([
    ['numbers', '0', 500_000],
    ['empty objects', '{}', 260_000],
  ])('may be a page of %s instead of messages', async (_what, item, count) => {
    const data = Array(count).fill(item).join();
    await using upstream = await startUpstream({
      'GET /v1/message': wireMessage('x'),
      'GET /v1/messages': `{"has_more":false,"data":[${data}]}`,
    });

    const { answer, busyMs, gained } = await measure(upstream.url, (url) =>
      ask(url, '{ messages(first: 1) { nodes { id } } }'),
    );

    expect(answer.errors?.[0]?.extensions.code).toBe('UPSTREAM_INVALID_RESPONSE');
    expect(busyMs).toBeLessThan(MAX_BUSY_MS);
    expect(gained).toBeLessThan(MAX_GAINED_BYTES);
  });
});
