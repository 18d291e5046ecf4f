import { createRandom } from '../../../src/embedded/sample/random.ts';
import { startUpstream, type UpstreamAnswer } from '../../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../../support/wire.ts';

/** A header that names the caller, if all have one token. */
export const TENANT = 'x-tenant';
/** The token of caller n. Every text and number in answers to it, but ids, contains n. */
export const tokenOf = (caller: number): string => `secret-${caller}.`;
const stampOf = (caller: number): string => `stamp-${caller}.`;
/** Every timestamp for caller n. */
const timeOf = (caller: number): number => 1_000_000 + caller;

/**
 * A service in which all callers have the same ids and no other data in common. A tenth of all calls gets a fault: 503, a
 * closed connection, a cut-off body, or a refusal that contains the token. Answers are slow, so that equal calls overlap.
 */
export async function startStampingService(seed: number) {
  const random = createRandom(seed);
  let faults = 0;
  const upstream = await startUpstream(({ line, form, token = '' }, headers) => {
    const secret = headers[TENANT]?.toString() ?? token;
    const caller = Number(/secret-(\d+)\./.exec(secret)?.[1] ?? Number.NaN);
    const delayMs = 1 + random.below(15);
    if (!random.chance(0.1)) return { body: answerOf(line, caller, form), delayMs };
    faults += 1;
    return { ...random.pick(FAULTS)(caller, secret), delayMs };
  });
  /** `faultCount`: how many calls got a fault. */
  return Object.assign(upstream, { faultCount: () => faults });
}

const FAULTS: readonly [Fault, ...Fault[]] = [
  () => ({ status: 503 }),
  () => ({ broken: 'before' }),
  (caller) => ({ broken: 'within', body: { id: stampOf(caller) } }),
  (caller, token) => ({ status: 403, body: { why: stampOf(caller), token } }),
  (caller, token) => ({ status: 429, body: `${stampOf(caller)} ${token}` }),
];
type Fault = (caller: number, token: string) => UpstreamAnswer;

/** Every caller has the conversation `c1` and the messages `m1` to `m9`. */
function answerOf(line: string, caller: number, form: string): unknown {
  const { pathname } = new URL(line.replace(/^\w+ /, ''), 'http://service');
  const [, , resource, id] = pathname.split('/');
  const toOne = (each: string) =>
    stamped(
      resource === 'messages'
        ? wireMessage(each, MESSAGE)
        : wireConversation(each, CONVERSATION),
      caller,
    );
  if (id !== undefined || form !== '') return toOne(id ?? 'm9');
  const ids = resource === 'messages' ? ['m1', 'm2', 'm3'] : ['c1', 'c2'];
  return wirePage([...ids, stampOf(caller)].map(toOne));
}

const MESSAGE = {
  reactions: [{ heart: ['someone'] }],
  attachments: [{ of: 'someone' }],
  read_at: 1,
  updated_at: 1,
};
const CONVERSATION = {
  group_id: 'group',
  pinned_message_id: 'm1',
  last_active_at: 1,
  last_opened_at: 1,
  archived_at: 1,
};

/** Each text and number but the ids of messages and conversations becomes the caller's own. */
const stamped = (wire: object, caller: number): unknown =>
  JSON.parse(JSON.stringify(wire), (key, value) => {
    if (value === null) throw new Error(`${key} needs a value that tells callers apart`);
    if (typeof value === 'number') return timeOf(caller);
    return typeof value === 'string' && !/^[mc]\d$/.test(value) ? stampOf(caller) : value;
  });

/** Finds data of other callers and tokens in an answer, also inside cursors and node ids. */
export function foreign(answer: string, caller: number): string[] {
  const opaque = [...answer.matchAll(/"([\w-]{16,})"/g)].map(([, text = '']) =>
    Buffer.from(text, 'base64url').toString(),
  );
  const seen = [answer, ...opaque].join('\n');
  return [...seen.matchAll(/stamp-\d+\.?|secret-\d+|\b1000\d{3}\b/g)]
    .map(([text]) => text)
    .filter((text) => text !== stampOf(caller) && text !== String(timeOf(caller)));
}

/** How often an answer contains the caller's own stamp. */
export const own = (answer: string, caller: number): number =>
  answer.split(stampOf(caller)).length - 1;
