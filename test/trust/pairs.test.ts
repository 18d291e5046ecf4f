import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage } from '../support/wire.ts';
import { findDifference } from './pairs/run.ts';
import { sameForAll, sessionsOver, USUAL_PAIRS, worseForA } from './pairs/session.ts';
import { createTally } from './pairs/tally.ts';
import { limitsFor, timeoutFor } from './runs.ts';

/** Pairs of callers, over both kinds of services. `.ci/run` and `npm run trust` set it to thousands. */
const PAIRS = Number(process.env.PAIRS ?? 300);
const SEED = Number(process.env.TRUST_SEED ?? 1906);
const RUNS = Math.ceil(PAIRS / 2 / USUAL_PAIRS);

test.each([
  ['serves all callers alike', sameForAll],
  ['limits, delays, refuses or fails the calls of A alone', worseForA],
])(
  'nothing that A sends changes the bytes, the calls or the writes of B, over a service that %s',
  async (_, rig) => {
    const tally = createTally();

    await fc.assert(
      fc.asyncProperty(sessionsOver(rig), async (session) => {
        expect(await findDifference(session, tally)).toBeNull();
      }),
      { numRuns: RUNS, seed: SEED, ...limitsFor(RUNS * 10) },
    );

    expect(tally.tooRare()).toEqual([]);
  },
  timeoutFor(RUNS * 10),
);

test('a deletion that B excludes is not carried out, whatever A sent with the same document', async () => {
  await using upstream = await startUpstream(({ line }) => ({
    body: line.includes('messages') ? wireMessage('m1') : wireConversation('1'),
  }));
  await using gateway = await startTestGateway(upstream.url);
  const query = `
    query A($x: Boolean!, $y: Boolean!, $z: Boolean!) {
      a: conversation(id: "1") @skip(if: $x) { id }
      b: conversation(id: "1") @skip(if: $y) { id }
      c: conversation(id: "1") @skip(if: $z) { id }
    }
    mutation B($x: ID!, $y: Boolean!, $z: ID!) {
      m: deleteMessage(input: { id: $x }) { deletedMessageId }
      n: deleteMessage(input: { id: $z }) { deletedMessageId }
      excluded: deleteConversation(input: { id: "1" }) @include(if: $y) { deletedConversationId }
    }`;
  const send = (token: string, variables: Record<string, unknown>) =>
    gateway.execute({ token, query, operationName: 'B', variables });

  await send('a', { x: 'q', y: false, z: 'r' });
  for (let count = 0; count < 3; count += 1)
    await send('a', { x: 'a', y: true, z: 'b,false,c' });
  const before = upstream.calls.length;
  const { data } = await send('b', { x: 'a,true,b', y: false, z: 'c' });

  expect(Object.keys(data ?? {})).toEqual(['m', 'n']);
  expect(upstream.lines().slice(before)).toEqual([
    'DELETE /v1/messages/a%2Ctrue%2Cb',
    'DELETE /v1/messages/c',
  ]);
});
