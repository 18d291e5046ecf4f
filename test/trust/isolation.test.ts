import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { askAll, CALLS_UNSHARED } from './isolation/callers.ts';
import { startStampingService, TENANT } from './isolation/stamping-service.ts';

/** `npm run trust` sets both higher. */
const CALLERS = Number(process.env.TRUST_CALLERS ?? 60);
const ROUNDS = Number(process.env.TRUST_ROUNDS ?? 1);
const SEED = Number(process.env.TRUST_SEED ?? 1906);

// security: response-of-another, shared-reads
test.each([
  ['their tokens', undefined, {}],
  ['a forwarded header', 'one-token', { FORWARD_HEADERS: TENANT }],
])(
  'with many callers at once, told apart by %s, no answer holds data of another, whatever fails and is retried',
  async (_, token, env) => {
    await using service = await startStampingService(SEED);
    await using gateway = await startTestGateway(service.url, env);

    const answers = await askAll({
      url: gateway.url,
      callers: CALLERS,
      rounds: ROUNDS,
      seed: SEED,
      token,
    });

    expect(answers.flatMap(({ leaks }) => leaks)).toEqual([]);
    expect(answers.filter(({ hasRequestId }) => !hasRequestId)).toEqual([]);
    // The run proves something only if answers had stamps, faults were retried and equal calls were shared.
    const good = answers.filter(({ failed }) => !failed);
    expect(good.filter(({ stamps }) => stamps === 0)).toEqual([]);
    expect(good.length).toBeGreaterThan(answers.length / 2);
    expect(good.length).toBeLessThan(answers.length);
    expect(service.faultCount()).toBeGreaterThan(answers.length / 20);
    const unshared = ROUNDS * CALLERS * CALLS_UNSHARED;
    expect(service.calls.length - service.faultCount()).toBeLessThan(unshared * 0.9);
  },
  240_000 * ROUNDS,
);
