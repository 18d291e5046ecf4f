import { expect, test } from 'vitest';
import { createOperationStore } from '../../src/sharing/operations.ts';
import { noPeers } from '../../src/sharing/peers.ts';
import { sha256 } from '../support/persisted.ts';

/** A store, and the hashes that it has sent to other processes. */
function startStore() {
  const sent: string[] = [];
  const store = createOperationStore(
    {
      ...noPeers(),
      send: (_topic, message) => sent.push((message as { hash: string }).hash),
    },
    null,
  );
  const register = (text: string) => {
    store.set(sha256(text), text);
    return sha256(text);
  };
  return {
    store,
    sent,
    register,
    get: (text: string) => store.get(sha256(text)),
  };
}

test('an operation is sent to other processes once', () => {
  const { sent, register } = startStore();

  const hash = register('{ a }');
  register('{ a }');

  expect(sent).toEqual([hash]);
});

// security: endless-registration
test('what is registered without end is shared up to a rate, and known where it was registered', async () => {
  const { sent, register, get } = startStore();
  const text = (index: number) => `{ a } # ${index} ${'x'.repeat(60_000)}`;

  for (let index = 0; index < 200; index += 1) register(text(index));

  expect(sent.length).toBeGreaterThan(60);
  // 4 MiB at first. What a slow machine adds while this test runs is less than as much again.
  expect(sent.length).toBeLessThan(140);
  expect(await get(text(199))).toBe(text(199));
});

// security: endless-registration
test('memory holds so much, and drops what was not used for the longest time', async () => {
  const { register, get } = startStore();
  const text = (index: number) => `{ a } # ${index} ${'x'.repeat(1_000_000)}`;
  register('{ used }');

  for (let index = 0; index < 20; index += 1) {
    register(text(index));
    expect(await get('{ used }')).toBe('{ used }');
  }

  const kept = await Promise.all(
    Array.from({ length: 20 }, (_, index) => get(text(index))),
  );
  expect(kept.filter((one) => one !== undefined).length).toBe(15);
  expect(kept.slice(-15)).not.toContain(undefined);
});
