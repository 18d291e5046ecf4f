import { describe, expect, test } from 'vitest';
import { createRandom } from '../../src/embedded/sample/random.ts';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { startTestGateway } from '../support/gateway.ts';
import { FAULTS, type Fault } from './faults/faults.ts';
import { startFaultyService } from './faults/faulty-service.ts';
import { mixOperations } from './faults/mixed-operations.ts';
import { denied, doubled, longestOf, readKnown, storm } from './faults/storm.ts';

/** `npm run trust` sets it to thousands. */
const OPERATIONS = Number(process.env.TRUST_OPERATIONS ?? 300);
const SEED = Number(process.env.TRUST_SEED ?? 1906);
const OPERATION_TIMEOUT_MS = 1000;
/** What a busy machine may add: client, gateway and service share one process here. */
const SLACK_MS = 1500;
/** A page of 100 messages fits in four times over. */
const MAX_RESPONSE_BYTES = 1_048_576;
/** What stands in the buffers of two sockets when an answer is cut off. */
const BUFFERED_BYTES = 8_388_608;

const EVERY_KIND = Object.keys(FAULTS) as [Fault, ...Fault[]];
/** A service that is down. */
const DOWN: [Fault, ...Fault[]] = ['silent', 'reset', '500', '503'];

/** How much fails and how, and which bound ends a call that is never answered. */
const WEATHER: [share: number, restTimeoutMs: number, kinds: [Fault, ...Fault[]]][] = [
  [0.1, 20_000, EVERY_KIND],
  [0.9, 400, EVERY_KIND],
  [1, 400, DOWN],
];

describe.each(WEATHER)(
  'where a share of %d of all calls fails',
  (share, restTimeoutMs, kinds) => {
    test(
      'every operation is answered as the contract says, and all is well two seconds later',
      async () => {
        await using service = await startEmbeddedService();
        const token = service.sampleUsers[0]?.token ?? '';
        const known = await readKnown(service.url, token);
        await using faulty = await startFaultyService(service.url, {
          seed: SEED,
          share,
          kinds,
        });
        await using gateway = await startTestGateway(faulty.url, {
          REST_TIMEOUT_MS: String(restTimeoutMs),
          OPERATION_TIMEOUT_MS: String(OPERATION_TIMEOUT_MS),
          MAX_RESPONSE_BYTES: String(MAX_RESPONSE_BYTES),
        });
        const next = mixOperations(createRandom(SEED), known);
        const client = { url: gateway.url, token, next };

        const held = await storm({ ...client, operations: OPERATIONS, clients: 30 });
        faulty.share = 0;
        // Clients go on asking, as they do; after two seconds the gateway must have noticed.
        await storm({ ...client, operations: 40, clients: 1, pauseMs: 50 });
        const after = await storm({ ...client, operations: 60, clients: 10 });

        expect(held).toHaveLength(OPERATIONS);
        expect(longestOf(held)).toBeLessThan(OPERATION_TIMEOUT_MS + SLACK_MS);
        expect(doubled(faulty)).toEqual([]);
        expect(denied(held, faulty)).toEqual([]);
        expect(faulty.longestAnswer).toBeLessThan(MAX_RESPONSE_BYTES + BUFFERED_BYTES);
        expect(after.flatMap(({ errors }) => errors)).toEqual([]);
        expect([...faulty.injected.keys()].toSorted()).toEqual(kinds.toSorted());
      },
      60_000 + OPERATIONS * 50,
    );
  },
);
