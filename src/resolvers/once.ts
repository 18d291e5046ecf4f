import { hash } from 'node:crypto';
import { unlessAborted } from '../callers/abort.ts';
import { turnForLongWork } from '../callers/event-loop.ts';
import type { KeyedSend, SharedTurn } from '../callers/sent-once.ts';
import type { ErrorCode } from '../rest/error-codes.ts';
import { BadInputError, type Extensions, OperationalError } from '../rest/errors.ts';
import type { Identified } from '../rest/list.ts';
import { type GatewayContext, mayBeDone } from './context.ts';

/** What is to be sent once. */
export interface OnceOptions<T> {
  /** The caller's name for it. */
  readonly key: string;
  /** What is sent. */
  readonly form: string;
  readonly write: () => Promise<T>;
  /** Looks for what a write has sent of which no answer came; null: the service does not have it; undefined: that is not known. */
  readonly look: (send: KeyedSend<unknown>) => Promise<T | null | undefined>;
  readonly read: (id: string) => Promise<T>;
}

/** To hash a longer one takes more than a millisecond. Unit: characters. */
const LONG_FORM = 262_144;

/**
 * Sends something unless the caller has sent it under the same key: then waits for that, or returns it. If the outcome of a write is
 * unknown, looks for what it has sent, at once and whenever the key comes again; sends again only what is certainly not there.
 */
export async function once<T extends Identified>(
  context: GatewayContext,
  options: OnceOptions<T>,
): Promise<T> {
  const { caller, sends, signal } = context;
  const { key, form } = options;
  if (form.length > LONG_FORM) await turnForLongWork();
  const content = hash('sha256', form, 'base64');
  const known = sends.find(caller, key) as KeyedSend<T> | null;
  if (known !== null && known.content !== content) throw new OtherContentError();
  if (known?.sent != null) return known.sent;
  if (known?.sentId != null) return options.read(known.sentId);
  const running = known?.running ?? null;
  if (running !== null) return unlessAborted(() => running, signal, isUnderWay);
  const send = known ?? (sends.begin(caller, key, content) as KeyedSend<T>);
  send.running = run(send, context, options).finally(() => {
    send.running = null;
  });
  return send.running;
}

async function run<T extends Identified>(
  send: KeyedSend<T>,
  { sends, caller, signal }: GatewayContext,
  options: OnceOptions<T>,
): Promise<T> {
  const turn = (await sends.shared?.takeTurn(caller.token, send, signal)) ?? null;
  try {
    const value = await lookOrWrite(send, turn, options);
    sends.arrived(send, caller.renewed(), value);
    turn?.end(value.id);
    return value;
  } catch (error) {
    const isOver = send.unknown === null;
    if (isOver) sends.drop(send);
    const { before = null } = turn ?? {};
    const hasOther = before !== null && (!before.isSame || before.sentId !== null);
    turn?.end(isOver && !hasOther ? null : undefined);
    throw error;
  }
}

async function lookOrWrite<T>(
  send: KeyedSend<T>,
  turn: SharedTurn | null,
  { look, write, read }: OnceOptions<T>,
): Promise<T> {
  const before = turn?.before ?? null;
  if (before?.isSame === false) throw new OtherContentError();
  if (before?.sentId != null) return read(before.sentId);
  if (turn?.isOwn === false) throw isUnderWay();
  if (before !== null) {
    send.unknown ??= 'UPSTREAM_TIMEOUT';
    send.began = Math.min(send.began, performance.now() - before.agoMs);
  }
  if (send.unknown !== null) {
    const found = await look(send);
    if (found === undefined) throw new OutcomeUnknownError(send.unknown, NOT_CERTAIN);
    if (found !== null) return found;
    send.unknown = null;
  }
  try {
    return await write();
  } catch (error) {
    if (!mayBeDone(error)) throw error;
    send.unknown = (error as OperationalError).code;
    const found = await look(send);
    if (found == null) throw error;
    return found;
  }
}

/**
 * The key under which the caller has sent an object; null if it is not known. `isNew`: the object may be of a write of this process that
 * has no answer yet; then waits for those of the caller.
 */
export async function findKey(
  id: string,
  isNew: boolean,
  { sends, caller, signal }: GatewayContext,
): Promise<string | null> {
  if (isNew && sends.keyOf(caller, id) === null) {
    const running = sends.open(caller).map((send) => send.running);
    const end = () => Promise.allSettled(running);
    await unlessAborted(end, signal, isUnderWay).catch(() => {});
  }
  const own = sends.keyOf(caller, id);
  return own ?? (await sends.shared?.keyOf(caller.token, id)) ?? null;
}

const isUnderWay = () =>
  new OutcomeUnknownError(
    'UPSTREAM_TIMEOUT',
    'It is still being sent: ask again with the same `clientMutationId`.',
  );

class OtherContentError extends BadInputError {
  constructor() {
    super(
      'Nothing was sent: this `clientMutationId` belongs to something else that was sent in the last ten minutes. Give each a new one.',
    );
  }
}

const NOT_CERTAIN =
  'Nothing was sent now, and whether it was sent before is not known: read the list, and if it is not there, send it with a new `clientMutationId`.';

/** What was sent before may have arrived, and nothing was sent now. */
class OutcomeUnknownError extends OperationalError {
  readonly code: ErrorCode;

  constructor(code: string, message: string) {
    super(message);
    this.code = code as ErrorCode;
  }

  override toExtensions(): Extensions {
    return { code: this.code, outcome: 'unknown' };
  }
}
