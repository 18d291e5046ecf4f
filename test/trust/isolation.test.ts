import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { CALLS_UNSHARED, visitAll } from './isolation/callers.ts';
import { startStampingService } from './isolation/stamping-service.ts';

const CALLERS = 200;
/** `npm run trust` sets it higher. */
const ROUNDS = Number(process.env.TRUST_ROUNDS ?? 1);
const SEED = Number(process.env.TRUST_SEED ?? 1906);

test(
  'of 200 callers at once nobody sees anything of another, whatever fails and is retried',
  async () => {
    await using service = await startStampingService(SEED);
    await using gateway = await startTestGateway(service.url);

    const answers = await visitAll({
      url: gateway.url,
      callers: CALLERS,
      rounds: ROUNDS,
      seed: SEED,
    });

    expect(answers.flatMap(({ leaks }) => leaks)).toEqual([]);
    expect(answers.filter(({ hasRequestId }) => !hasRequestId)).toEqual([]);
    // All this was at work: answers with stamps, faults that were retried, and equal calls that were shared.
    const good = answers.filter(({ failed }) => !failed);
    expect(good.filter(({ stamps }) => stamps === 0)).toEqual([]);
    expect(good.length).toBeGreaterThan(answers.length / 2);
    expect(good.length).toBeLessThan(answers.length);
    expect(service.spoilt()).toBeGreaterThan(answers.length / 20);
    const unshared = ROUNDS * CALLERS * CALLS_UNSHARED;
    expect(service.calls.length - service.spoilt()).toBeLessThan(unshared * 0.8);
  },
  60_000 * ROUNDS,
);
