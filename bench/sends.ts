import { sendUnderKeys, startServiceToSend } from '../test/trust/faults/keyed-sends.ts';
import type { Row } from './faults.ts';
import { startGateway } from './process.ts';

const SEED = 1906;
const MESSAGES = 1000;

/**
 * Sends messages under keys while one call in ten fails, and one request in ten is given up by its client; with REDIS_URL, through two
 * replicas in turn.
 */
export async function measureSends(): Promise<Row[]> {
  await using faulty = await startServiceToSend(SEED);
  const { REDIS_URL } = process.env;
  const settings = { REST_TIMEOUT_MS: '600', ...(REDIS_URL && { REDIS_URL }) };
  await using gateway = await startGateway(faulty.url, settings);
  await using other = await startGateway(faulty.url, settings);
  const urls = REDIS_URL ? [gateway.url, other.url] : [gateway.url];
  const sent = await sendUnderKeys(faulty, { urls, messages: MESSAGES, seed: SEED });
  const sum = (counts: Iterable<number>) => [...counts].reduce((a, b) => a + b, 0);
  const attempts = sum(sent.map((one) => one.attempts));
  const cuts = sum(sent.map((one) => one.cuts));
  const faults = `${sum(faulty.injected.values())} faults of ${faulty.injected.size} kinds`;
  const rows = (['sent', 'unknown', 'failed'] as const).map((ending): Row => {
    const own = sent.filter((one) => one.ending === ending).map(({ stored }) => stored);
    const count = (is: (stored: number) => boolean) => `${own.filter(is).length}`;
    const counts = [count((n) => n === 1), count((n) => n > 1), count((n) => n === 0)];
    return [ending, `${own.length}`, ...counts];
  });
  const requests = `${attempts} requests, of which ${cuts} were given up; ${faults}`;
  return [...rows, [requests, '', '', '', '']];
}
