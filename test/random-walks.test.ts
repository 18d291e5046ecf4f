import { expect, test } from 'vitest';
import { walkRandomServices } from './support/random-walks.ts';
import { TIMES, timeoutFor } from './trust/runs.ts';

test('without a setting, walks through services with random answers are right, and cost four calls more at most', {
  timeout: timeoutFor(TIMES),
}, async () => {
  const walks = await walkRandomServices(50 * TIMES, 7);

  for (const { service, learned, byHand } of walks) {
    expect({ service, learned }).not.toMatchObject({ learned: { result: 'wrong' } });
    if (byHand.result !== 'right' || service.isRenamed) continue;
    expect({ service, learned }).toMatchObject({ learned: { result: 'right' } });
    expect({ service, calls: learned.calls }).toSatisfy(
      ({ calls }) => calls <= byHand.calls + 4,
    );
  }
});
