import fc from 'fast-check';
import { type Made, oneOf, weighted } from '../arbitrary/one-of.ts';
import { document, NAMES, type Operation, printDocument } from './document.ts';
import type { Rig } from './rig.ts';

/** Mostly the same word, so that what one caller sends is often like what the other sends. */
const word = oneOf(
  [9, fc.constant('a')],
  [1, fc.constantFrom('c1', 'gone', 'denied', 'null', 'undefined', '"\'\\', '1')],
);
const truth = fc.constantFrom('true', 'false');
/** Texts and ids: words, words joined by commas, texts that Booleans are written with, and long texts. */
const text = oneOf(
  [9, word],
  [9, fc.tuple(word, truth, word).map((all) => all.join())],
  [1, fc.tuple(truth, word).map((all) => all.join())],
  [1, truth],
  [1, word.map((one) => `${one},`.repeat(300))],
);

/** What a request gives for one variable, for each type that the variable may have. */
const value = fc.record({
  flag: fc.boolean(),
  text,
  count: fc.constantFrom(0, 1, 3, 25, 70, 100, 101),
  json: fc.constantFrom<unknown>(
    'a,true,b',
    true,
    [1, null],
    { toString: 1, valueOf: 1 },
    { a: { b: 'false' } },
  ),
  /** `other`: a value of another type. */
  fit: weighted([60, 'fits'], [1, 'missing'], [1, 'null'], [1, 'other']),
});

const request = {
  /** Chooses an operation of the document. */
  operation: fc.nat({ max: 2 }),
  values: fc.tuple(value, value, value),
  /** In the process, over HTTP, or over HTTP with the hash of the document. */
  way: weighted<'execute' | 'http' | 'hash'>([10, 'execute'], [1, 'http'], [1, 'hash']),
};
const requestOfB = fc.record(request);
export type Sent = Made<typeof requestOfB>;
const requestOfA = fc.record({
  ...request,
  times: fc.constantFrom(1, 2, 2),
  /** Whether it runs at the same time as the request of B, instead of before. */
  isBeside: weighted([3, false], [1, true]),
  hasToken: weighted([5, true], [1, false]),
});
export type SentByA = Made<typeof requestOfA>;

/** B sends one or two requests, and A others with the same document, before and beside each. */
const pair = fc.record({
  /** Chooses one of the session's documents. */
  document: fc.nat({ max: 19 }),
  exchanges: fc.array(
    fc.record({
      ofA: fc.array(requestOfA, { minLength: 1, maxLength: 2 }),
      ofB: requestOfB,
    }),
    { minLength: 1, maxLength: 2 },
  ),
});

const service = {
  paging: fc.constantFrom<Rig['paging']>('limit', 'starting_after', 'offset', 'page'),
  items: fc.constantFrom(0, 5, 30, 65),
  cap: fc.option(
    fc.record({ limit: fc.constantFrom(10, 20, 50), isRefused: fc.boolean() }),
    { freq: 3 },
  ),
  isLearned: fc.boolean(),
};

/** Services that do the same for all tokens. */
export const sameForAll: fc.Arbitrary<Rig> = fc.record({
  ...service,
  capsAAlone: fc.constant(false),
  troubleOfA: fc.constant<Rig['troubleOfA']>('none'),
});

/** Services that A alone has trouble with. */
export const worseForA: fc.Arbitrary<Rig> = fc.record({
  ...service,
  capsAAlone: fc.boolean(),
  troubleOfA: fc.constantFrom('none', 'slow', 'failing', 'refused', 'broken'),
});

/** The most pairs of one session. About half as many are usual. */
const MAX_PAIRS = 250;
export const USUAL_PAIRS = MAX_PAIRS / 2;

/** Pairs that share gateways, a service and documents. Without a bias to small values, which would make most sessions short. */
export const sessionsOver = (rig: fc.Arbitrary<Rig>) =>
  fc
    .noBias(
      fc.record({
        // Shrunk first, because every other step repeats all pairs.
        pairs: fc.array(pair, { minLength: 1, maxLength: MAX_PAIRS, size: 'max' }),
        documents: fc.array(document, { minLength: 1, maxLength: 20, size: 'max' }),
        rig,
      }),
    )
    .map((session) =>
      Object.defineProperty(session, fc.toStringMethod, {
        value: () => describe(session),
      }),
    );
export type Session = Made<ReturnType<typeof sessionsOver>>;

/** The variables of a request for an operation. */
export function toVariables(
  { kinds }: Operation,
  values: Sent['values'],
): Record<string, unknown> {
  const given = values.flatMap(({ fit, flag, text, count, json }, place) => {
    // A variable that the operation does not declare is sent as well: clients do that.
    const kind = kinds[place] ?? 'none';
    const other = kind === 'flag' ? text : { toString: 1, valueOf: 1 };
    const fitting = { flag, id: text, text, count, json, none: text }[kind];
    const value = { fits: fitting, null: null, other }[fit];
    return fit === 'missing' ? [] : [[NAMES[place], value] as const];
  });
  return Object.fromEntries(given);
}

/** A session for people: the service, and the requests with their documents. */
function describe({ rig, documents, pairs }: Session): string {
  const lines = [`service and settings: ${JSON.stringify(rig)}`];
  for (const { document: chosen, exchanges } of pairs) {
    const document = documents[chosen % documents.length];
    if (document === undefined) continue;
    lines.push(printDocument(document));
    for (const { ofA, ofB } of exchanges)
      for (const sent of [...ofA, ofB])
        lines.push(describeSent(sent, document.operations));
  }
  return lines.join('\n');
}

function describeSent(sent: Sent | SentByA, operations: readonly Operation[]): string {
  const { operation: chosen, values, way, ...ofA } = sent;
  const at = chosen % operations.length;
  const variables = toVariables(operations[at] as Operation, values);
  const who = 'times' in ofA ? `A ${JSON.stringify(ofA)}` : 'B';
  return `  ${who}: Op${at} by ${way}, ${JSON.stringify(variables)}`;
}
