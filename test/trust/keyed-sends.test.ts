import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { sendUnderKeys, startServiceToSend } from './faults/keyed-sends.ts';

/** `npm run reliability sends` sends a thousand. */
const MESSAGES = 200;
const SEED = Number(process.env.TRUST_SEED ?? 1906);

// security: write-twice
test('under faults and cut connections, each message with a key is there once, unless the gateway calls its outcome unknown', async () => {
  await using faulty = await startServiceToSend(SEED);
  await using gateway = await startTestGateway(faulty.url, { REST_TIMEOUT_MS: '800' });

  const sent = await sendUnderKeys(faulty, {
    urls: [gateway.url],
    messages: MESSAGES,
    seed: SEED,
  });

  const storedOf = (ending: string) =>
    new Set(sent.filter((one) => one.ending === ending).map(({ stored }) => stored));
  expect(storedOf('sent')).toEqual(new Set([1]));
  expect([...storedOf('failed')].filter(Boolean)).toEqual([]);
  expect([...storedOf('unknown')].filter((stored) => stored > 1)).toEqual([]);
  expect(sent.filter(({ ending }) => ending !== 'sent').length).toBeLessThan(
    MESSAGES / 50,
  );
});
