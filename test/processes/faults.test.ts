import { expect, test } from 'vitest';
import { createRandom } from '../../src/embedded/sample/random.ts';
import { startTestGateway } from '../support/gateway.ts';
import { MARGIN } from '../support/measured.ts';
import { DOWN, EVERY_FAULT, type Faults } from '../trust/faults/faults.ts';
import { startFaultyService } from '../trust/faults/faulty-service.ts';
import {
  deniedWrites,
  duplicateWrites,
  longestOf,
  runLoad,
} from '../trust/faults/load.ts';
import { mixOperations } from '../trust/faults/mixed-operations.ts';

/** `npm run trust` sets it to thousands. */
const OPERATIONS = Number(process.env.TRUST_OPERATIONS ?? 200);
const SEED = Number(process.env.TRUST_SEED ?? 1906);
/** Client, gateway and service share this process, so a busy machine delays answers. */
const SLOWER = Math.min(MARGIN, 3);
const OPERATION_TIMEOUT_MS = 3000 * SLOWER;
const REST_TIMEOUT_MS = 400 * SLOWER;
const SLACK_MS = 1500;
/** Four times the size of a page of 100 messages. */
const MAX_RESPONSE_BYTES = 1_048_576;
/** The buffers of two sockets can hold this much more of an answer that is cut off. */
const BUFFERED_BYTES = 8_388_608;

/** How many calls fail, which limit ends a call without an answer, and which faults there are. */
const CONDITIONS: [share: number, restTimeoutMs: number, kinds: Faults][] = [
  [0.1, 20_000, EVERY_FAULT],
  [0.9, REST_TIMEOUT_MS, EVERY_FAULT],
  [1, REST_TIMEOUT_MS, DOWN],
];

// security: write-twice
test.each(CONDITIONS)(
  'with a share of %d of all calls failing, every answer is valid and in time, no write is sent twice or wrongly reported as failed, and the gateway recovers in two seconds',
  async (share, restTimeoutMs, kinds) => {
    await using faulty = await startFaultyService({ seed: SEED, share, kinds });
    await using gateway = await startTestGateway(faulty.url, {
      REST_TIMEOUT_MS: String(restTimeoutMs),
      OPERATION_TIMEOUT_MS: String(OPERATION_TIMEOUT_MS),
      MAX_RESPONSE_BYTES: String(MAX_RESPONSE_BYTES),
    });
    const { url } = gateway;
    const { token, world } = faulty;
    const client = { url, token, next: mixOperations(createRandom(SEED), world) };

    const results = await runLoad({ ...client, operations: OPERATIONS, clients: 30 });
    faulty.share = 0;
    // Clients keep asking for two seconds. Then the gateway must have recovered.
    await runLoad({ ...client, operations: 40, clients: 1, pauseMs: 50 });
    const after = await runLoad({ ...client, operations: 60, clients: 10 });

    expect(results).toHaveLength(OPERATIONS);
    expect(longestOf(results)).toBeLessThan(OPERATION_TIMEOUT_MS + MARGIN * SLACK_MS);
    expect(duplicateWrites(faulty)).toEqual([]);
    expect(deniedWrites(results, faulty)).toEqual([]);
    expect(faulty.longestAnswer).toBeLessThan(MAX_RESPONSE_BYTES + BUFFERED_BYTES);
    expect(after.flatMap(({ errors }) => errors)).toEqual([]);
    expect([...faulty.injected.keys()].toSorted()).toEqual(kinds.toSorted());
  },
  300_000 + OPERATIONS * 500,
);
