import { expect, test } from 'vitest';
import { createTogether } from '../../src/http/send-together.ts';

test('answers that are made in one phase of the event loop are sent together, at its end', async () => {
  const together = createTogether();
  const steps: string[] = [];
  async function answer(name: string, turns: number): Promise<void> {
    for (let left = turns; left > 0; left -= 1) await null;
    steps.push(`made ${name}`);
    await new Promise<void>((sent) =>
      together.later(() => {
        steps.push(`sent ${name}`);
        sent();
      }),
    );
  }

  // The second takes longer, but no other phase.
  await Promise.all([answer('first', 0), answer('second', 20)]);

  expect(steps).toEqual(['made first', 'made second', 'sent first', 'sent second']);
});
