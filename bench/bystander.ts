/** Caller B, beside whom another caller does something: B sends an operation every so often, even if earlier ones are not answered. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../test/support/gateway.ts';
import type { MeasuredGateway } from './process.ts';

export interface Asked {
  readonly isGood: boolean;
  /** Until the answer came. Unit: milliseconds. */
  readonly ms: number;
  /** How long the gateway's thread ran meanwhile, for any caller: other processes of the machine do not count. Unit: milliseconds. */
  readonly threadMs: number;
}

export function askAsB(
  gateway: MeasuredGateway,
  operations: readonly string[],
  periodMs: number,
): Promise<Asked[]> {
  return Promise.all(
    operations.map(async (query, index) => {
      await sleep(index * periodMs);
      const [began, ran] = [performance.now(), gateway.threadMs()];
      const { errors } = await ask(gateway.url, query, { token: 'b' });
      return {
        isGood: errors === undefined,
        ms: performance.now() - began,
        threadMs: gateway.threadMs() - ran,
      };
    }),
  );
}
