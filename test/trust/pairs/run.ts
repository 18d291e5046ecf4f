import { withSortedErrors } from '../../support/gateway.ts';
import { operationName, printDocument } from './document.ts';
import { TOKEN_OF_A } from './rig.ts';
import { type Sent, type SentByA, type Session, toVariables } from './session.ts';
import type { Tally } from './tally.ts';
import { type Outcome, openWorld, type Request, send } from './world.ts';

/** What came of one request of B, without A and with A. */
export interface Compared {
  readonly request: Request;
  readonly alone: Outcome;
  readonly withA: Outcome;
}

/** Runs a session in two worlds: B's requests reach both, A's reach one. Returns the first request of
 * B that is not the same in both, or that the gateway failed at; null if there is none. */
export async function findDifference(
  { rig, documents, pairs }: Session,
  tally: Tally,
): Promise<Compared | null> {
  await using alone = await openWorld(rig);
  await using both = await openWorld(rig);
  const printed = documents.map((document) => ({
    document,
    query: printDocument(document),
    /** Whether B has sent its hash. */
    isRegistered: false,
  }));

  for (const [index, { document: chosen, exchanges }] of pairs.entries()) {
    const it = printed[chosen % printed.length];
    if (it === undefined) continue;
    const { document, query } = it;
    const toRequest = (sent: Sent, id: string, token: string | null): Request => {
      const at = sent.operation % document.operations.length;
      const operation = document.operations[at];
      if (operation === undefined) throw new Error(`the document has no operation ${at}`);
      return {
        id,
        token,
        query,
        way: sent.way,
        isRegistered: sent.way === 'hash' && it.isRegistered,
        operationName: operationName(at),
        variables: toVariables(operation, sent.values),
      };
    };

    for (const [each, { ofA, ofB }] of exchanges.entries()) {
      const id = `p${index}-${each}`;
      const sendOfA = async (sent: SentByA) => {
        const token = sent.hasToken ? TOKEN_OF_A : null;
        for (let count = 0; count < sent.times; count += 1)
          await send(both, toRequest(sent, `a${id}`, token));
      };
      const { true: beside = [], false: before = [] } = Object.groupBy(ofA, (sent) =>
        sent.isBeside ? 'true' : 'false',
      );
      for (const sent of before) await sendOfA(sent);
      const request = toRequest(ofB, `b${id}`, `token-b${index}`);
      const sentBeside = beside.map(sendOfA);
      const [withA, withoutA] = await Promise.all([
        send(both, request),
        send(alone, request),
        ...sentBeside,
      ]);
      const compared = { request, alone: withoutA, withA };
      if (ofB.way === 'hash' && withoutA.answer.startsWith('200')) it.isRegistered = true;
      tally.count({ compared, document, ofA, ofB });
      if (!isSame(compared) || isFailure(compared)) return compared;
    }
  }
  return null;
}

const isSame = ({ alone, withA }: Compared): boolean =>
  JSON.stringify(inAnyTime(alone)) === JSON.stringify(inAnyTime(withA));

/**
 * An object is not read by its id if a list of the same operation has brought it before: that depends on which of two
 * calls is answered first, with or without A. So beside a list, reads by id do not count.
 */
const inAnyTime = ({ answer, reads, ...outcome }: Outcome): Outcome => ({
  ...outcome,
  answer: withSortedErrors(answer),
  reads: reads.filter((read) => {
    const [, list] = /^GET (\/v1\/\w+)\//.exec(read) ?? [];
    return list === undefined || !reads.some((one) => one.startsWith(`GET ${list}?`));
  }),
});

/** The gateway itself failed, and not the service or the request. */
const isFailure = ({ alone }: Compared): boolean =>
  /"INTERNAL_SERVER_ERROR"|^5\d\d /.test(alone.answer);
