import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { describeProfile } from '../../src/probe/open-points.ts';
import { LAUNCHER, run } from '../support/command.ts';

test('--profile prints a heading and one line for each open point, and ends without starting a server', async () => {
  await using profile = run([LAUNCHER, '--profile'], {
    MESSAGING_URL: 'http://127.0.0.1:1',
    MAX_RESTCALLS: '5',
  });

  expect(await profile.exit()).toBe(0);
  expect(profile.lines).toEqual(describeProfile(loadConfig({})));
  expect(profile.lines).toHaveLength(20);
  expect(profile.errors).toEqual([
    'MAX_RESTCALLS is not a setting. Did you mean MAX_REST_CALLS?',
  ]);
});

test('--profile knows the unit of the embedded service', async () => {
  await using profile = run([LAUNCHER, '--profile']);

  expect(await profile.exit()).toBe(0);
  expect(profile.lines[4]).toBe('open point 4, timestamp unit: seconds (TIMESTAMP_UNIT)');
});

test('--profile refuses wrong settings as the start does', async () => {
  await using profile = run([LAUNCHER, '--profile'], { PORT: 'abc' });

  expect(await profile.exit()).toBe(1);
  expect(profile.lines).toEqual([]);
  expect(profile.errors).toEqual(['PORT="abc": takes an integer from 0 to 65535']);
});
