import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage } from '../support/wire.ts';
import { sameForAll, sessionsOver, USUAL_PAIRS, worseForA } from './pairs/arbitrary.ts';
import { findDifference } from './pairs/run.ts';
import { describe, shrink } from './pairs/shrink.ts';
import { createTally } from './pairs/tally.ts';

/** Pairs of callers, over both kinds of services. `.ci/run` and `npm run trust` set it to thousands. */
const PAIRS = Number(process.env.PAIRS ?? 300);
const SEED = Number(process.env.TRUST_SEED ?? 1906);

test.each([
  ['serves all callers alike', sameForAll],
  ['limits, delays, refuses or fails the calls of A alone', worseForA],
])(
  'nothing that A sends changes the bytes, the calls or the writes of B, over a service that %s',
  async (_, rig) => {
    const tally = createTally();
    const numRuns = Math.ceil(PAIRS / 2 / USUAL_PAIRS);

    for (const one of fc.sample(sessionsOver(rig), { numRuns, seed: SEED })) {
      const difference = await findDifference(one, tally);
      if (difference !== null) throw await explain(one, tally.pairs);
    }

    expect(tally.failures.slice(0, 1)).toEqual([]);
    expect(tally.tooRare()).toEqual([]);
  },
  120_000 + PAIRS * 100,
);

/** The smallest session that shows the difference too. */
async function explain(session: Parameters<typeof shrink>[0], pairs: number) {
  const find = (one: typeof session) => findDifference(one, createTally());
  const small = await shrink(session, async (one) => (await find(one)) !== null);
  return new Error(
    [
      `B is not answered as without A, after ${pairs} pairs. TRUST_SEED=${SEED} repeats it. The smallest case:`,
      describe(small),
      JSON.stringify(await find(small), null, 2),
    ].join('\n'),
  );
}

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
