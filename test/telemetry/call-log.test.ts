import { expect, test } from 'vitest';
import {
  OverloadedError,
  RestNetworkError,
  TooManyBytesError,
} from '../../src/rest/errors.ts';
import { createCallLog } from '../../src/telemetry/call-log.ts';

const CALL = { method: 'GET', route: '/v1/messages/:id' } as const;

test.each<[what: string, error: unknown, outcome: string]>([
  [
    'was given up because its operation had read too many bytes',
    new TooManyBytesError(CALL, 'was given up', true),
    'cancelled',
  ],
  [
    'was given up because there was no room for its answer',
    new OverloadedError(CALL, 'was given up', { wasSent: true }),
    'overloaded',
  ],
  [
    'took too long',
    new RestNetworkError(CALL, { kind: 'timeout', mayHaveLeft: true, cause: null }),
    'timeout',
  ],
  [
    'was cut off by the deadline of its operation',
    new DOMException('late', 'TimeoutError'),
    'timeout',
  ],
])('a call that %s is reported as such', (_, error, outcome) => {
  const log = createCallLog((text) => text, 0);

  log.add({
    call: CALL,
    path: '/v1/messages/m1',
    isShared: true,
    attempts: 1,
    status: null,
    bytes: 0,
    began: 0,
    ended: 1,
    error,
  });

  expect(log.report().map((call) => call.outcome)).toEqual([outcome]);
});
