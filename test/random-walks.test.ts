import { expect, test } from 'vitest';
import { isUsual, walkRandomServices } from '../bench/random-walks.ts';

/** `npm run walks` walks through a hundred. */
const SERVICES = 12;

test('without a setting, walks through services with random answers are right, and cost four calls more at most', async () => {
  const walks = await walkRandomServices(SERVICES, 7);

  for (const { service, learned, byHand } of walks) {
    expect({ service, learned }).not.toMatchObject({ learned: { result: 'wrong' } });
    if (byHand.result !== 'right' || !isUsual(service)) continue;
    expect({ service, learned }).toMatchObject({ learned: { result: 'right' } });
    expect({ service, calls: learned.calls }).toSatisfy(
      ({ calls }) => calls <= byHand.calls + 4,
    );
  }
});
