import { type Document, type Operation, printDocument } from './document.ts';
import { type Pair, type Session, type Step, toVariables } from './session.ts';

/**
 * The smallest session found that still shows a difference. `differs` runs it. Every session has gateways of its own, so
 * what is dropped is not needed for the difference.
 */
export async function shrink(
  session: Session,
  differs: (session: Session) => Promise<boolean>,
): Promise<Session> {
  let best = session;
  for (const simpler of SIMPLER) {
    for (let at = 0; ; ) {
      const candidate = simpler(best)[at];
      if (candidate === undefined) break;
      if (await differs(candidate)) best = candidate;
      else at += 1;
    }
  }
  return best;
}

/** Lists with one item, or a run of items, left out: long runs first. */
function shorter<T>(items: readonly T[]): T[][] {
  const lists: T[][] = [];
  for (let size = Math.ceil(items.length / 2); size > 0; size = Math.floor(size / 2)) {
    for (let from = 0; from < items.length; from += size)
      lists.push([...items.slice(0, from), ...items.slice(from + size)]);
  }
  return lists;
}

/** Each gives simpler sessions. */
const SIMPLER: readonly ((session: Session) => Session[])[] = [
  fewerPairs,
  withPairs(({ before, between, ...pair }) => [
    ...shorter(before).map((less) => ({ ...pair, between, before: less })),
    ...shorter(between).map((less) => ({ ...pair, before, between: less })),
  ]),
  withPairs((pair) => (pair.second === null ? [] : [{ ...pair, second: null }])),
  withPairs(({ before, between, ...pair }) => [
    ...simplerSteps(before).map((simpler) => ({ ...pair, between, before: simpler })),
    ...simplerSteps(between).map((simpler) => ({ ...pair, before, between: simpler })),
  ]),
  withDocuments(({ fragments, ...rest }) =>
    shorter(fragments).map((fewer) => ({ ...rest, fragments: fewer })),
  ),
  withDocuments(({ operations, ...rest }) =>
    operations.flatMap((operation, at) =>
      shorter(operation.fields).map((fields) => ({
        ...rest,
        operations: operations.with(at, { ...operation, fields }),
      })),
    ),
  ),
  fewerPairs,
];

function fewerPairs(session: Session): Session[] {
  return shorter(session.pairs).map((pairs) => ({ ...session, pairs }));
}

function withPairs(simpler: (pair: Pair) => Pair[]) {
  return (session: Session): Session[] =>
    session.pairs.flatMap((pair, at) =>
      simpler(pair).map((one) => ({ ...session, pairs: session.pairs.with(at, one) })),
    );
}

function withDocuments(simpler: (document: Document) => Document[]) {
  return (session: Session): Session[] =>
    session.documents.flatMap((document, at) =>
      simpler(document).map((one) => ({
        ...session,
        documents: session.documents.with(at, one),
      })),
    );
}

const PLAIN: Partial<Step> = { way: 'execute', isBeside: false };

function simplerSteps(steps: readonly Step[]): Step[][] {
  return steps.flatMap((step, at) => {
    const isPlain = step.way === 'execute' && !step.isBeside;
    const plain = isPlain ? [] : [steps.with(at, { ...step, ...PLAIN })];
    const fewer = { ...step, times: step.times - 1 };
    return step.times > 1 ? [...plain, steps.with(at, fewer)] : plain;
  });
}

/** A session for people: the service, and the requests with their documents. */
export function describe({ rig, documents, pairs }: Session): string {
  const lines = [`service and settings: ${JSON.stringify(rig)}`];
  for (const { document: chosen, before, first, between, second } of pairs) {
    const document = documents[chosen % documents.length];
    if (document === undefined) continue;
    const steps = [...before, first, ...between, ...(second === null ? [] : [second])];
    lines.push(printDocument(document));
    lines.push(...steps.map((step) => describeStep(step, document.operations)));
  }
  return lines.join('\n');
}

function describeStep(step: Step, operations: readonly Operation[]): string {
  const at = step.operation % operations.length;
  const operation = operations[at];
  const variables = operation && JSON.stringify(toVariables(operation, step.values));
  const how = [
    step.way,
    ...(step.times > 1 ? [`${step.times} times`] : []),
    ...(step.isBeside ? ['beside B'] : []),
    ...(step.hasToken ? [] : ['without a token']),
  ];
  return `  ${step.who} Op${at} (${how.join(', ')}): ${variables}`;
}
