import { describe, expect, test } from 'vitest';
import { LAUNCHER, run } from '../support/command.ts';

describe('with TRUSTED_DOCUMENTS', () => {
  test('a missing file stops the command with one line and status 1', async () => {
    await using gateway = run([LAUNCHER], {
      TRUSTED_DOCUMENTS: '/nowhere/manifest.json',
    });

    expect(await gateway.exit()).toBe(1);
    expect(gateway.lines).toEqual([]);
    expect(gateway.errors).toEqual([
      'TRUSTED_DOCUMENTS="/nowhere/manifest.json": takes the path of a manifest of documents; the file cannot be read: ENOENT',
    ]);
  });
});
