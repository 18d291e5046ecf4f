import { type Document, operationName, printDocument } from './document.ts';
import { TOKEN_OF_A } from './rig.ts';
import { type Session, type Step, toVariables } from './session.ts';
import type { Tally } from './tally.ts';
import { type Outcome, openWorld, type Request, send, type World } from './world.ts';

/** What came of one request of B, without A and with A. */
export interface Compared {
  readonly request: Request;
  readonly alone: Outcome;
  readonly besideA: Outcome;
}

/** A request of B, with those of A that reach the gateway before it or beside it. */
interface Exchange {
  readonly ofA: readonly Step[];
  readonly ofB: Step;
}

/** Runs a session in two worlds: B's requests reach both, A's reach one. Returns the first request of
 * B that is not the same in both, or that the gateway failed at; null if there is none. */
export async function findDifference(
  { rig, documents, pairs }: Session,
  tally: Tally,
): Promise<Compared | null> {
  await using alone = await openWorld(rig);
  await using both = await openWorld(rig);
  const printed = documents.map(printDocument);
  /** The documents whose hash B has sent. */
  const registered = new Set<string>();

  for (const [
    index,
    { document: chosen, before, first, between, second },
  ] of pairs.entries()) {
    const document = documents[chosen % documents.length];
    const query = printed[chosen % documents.length];
    if (document === undefined || query === undefined) continue;
    const toRequest = (step: Step, id: string, token: string | null): Request => {
      const at = step.operation % document.operations.length;
      return {
        id,
        token,
        query,
        way: step.way,
        isRegistered: step.way === 'hash' && registered.has(query),
        operationName: operationName(at),
        variables: toVariables(operationAt(document, at), step.values),
      };
    };

    const sendAs = (step: Step, id: string): Promise<unknown> =>
      repeat(step.times, () =>
        send(both, toRequest(step, id, step.hasToken ? TOKEN_OF_A : null)),
      );

    const exchanges: Exchange[] = [{ ofA: before, ofB: first }];
    if (second !== null) exchanges.push({ ofA: between, ofB: second });
    for (const [each, { ofA, ofB }] of exchanges.entries()) {
      const id = `p${index}-${each}`;
      for (const step of ofA.filter(({ isBeside }) => !isBeside))
        await sendAs(step, `a${id}`);
      const request = toRequest(ofB, `b${id}`, `token-b${index}`);
      const beside = ofA.filter(({ isBeside }) => isBeside);
      const besideA = toBoth(both, request, () =>
        beside.map((step) => sendAs(step, `a${id}`)),
      );
      const compared = {
        request,
        alone: await send(alone, request),
        besideA: await besideA,
      };
      if (ofB.way === 'hash' && compared.alone.answer.startsWith('200'))
        registered.add(query);
      tally.count({ compared, document, ofA, ofB });
      if (!isSame(compared) || isFailure(compared)) return compared;
    }
    tally.pairs += 1;
  }
  return null;
}

async function toBoth(
  world: World,
  request: Request,
  startBeside: () => Promise<unknown>[],
): Promise<Outcome> {
  const beside = startBeside();
  const outcome = await send(world, request);
  await Promise.all(beside);
  return outcome;
}

async function repeat(times: number, run: () => Promise<unknown>): Promise<void> {
  for (let count = 0; count < times; count += 1) await run();
}

function operationAt({ operations }: Document, at: number) {
  const operation = operations[at];
  if (operation === undefined) throw new Error(`the document has no operation ${at}`);
  return operation;
}

const isSame = ({ alone, besideA }: Compared): boolean =>
  JSON.stringify(inAnyTime(alone)) === JSON.stringify(inAnyTime(besideA));

/**
 * An object is not read by its id if a list of the same operation has brought it before: that depends on which of two
 * calls is answered first, with or without A. So beside a list, reads by id do not count.
 */
const inAnyTime = ({ reads, ...outcome }: Outcome): Outcome => ({
  ...outcome,
  reads: reads.filter((read) => {
    const [, list] = /^GET (\/v1\/\w+)\//.exec(read) ?? [];
    return list === undefined || !reads.some((one) => one.startsWith(`GET ${list}?`));
  }),
});

/** The gateway itself failed, and not the service or the request. */
const isFailure = ({ alone }: Compared): boolean =>
  /"INTERNAL_SERVER_ERROR"|^5\d\d /.test(alone.answer);
