import { hash } from 'node:crypto';
import { unlessAborted } from '../callers/abort.ts';
import { turnForLongWork } from '../callers/event-loop.ts';
import type { KeyedSend } from '../callers/sent-once.ts';
import type { SharedTurn } from '../callers/shared-sends.ts';
import type { ErrorCode } from '../rest/error-codes.ts';
import {
  BadInputError,
  type Extensions,
  mayBeDone,
  OperationalError,
} from '../rest/errors.ts';
import type { Identified } from '../rest/list.ts';
import type { GatewayContext } from './context.ts';

/** What is to be sent once. */
export interface OnceOptions<T> {
  /** The caller's name for it. */
  readonly key: string;
  /** What is sent. */
  readonly form: string;
  readonly write: () => Promise<T>;
  /** Searches for the object of a write that got no answer. Null: the service certainly does not have it; undefined: nobody knows. */
  readonly search: (send: KeyedSend<unknown>) => Promise<T | null | undefined>;
  readonly read: (id: string) => Promise<T>;
}

/** To hash a longer one takes more than a millisecond. Unit: characters. */
const LONG_FORM = 262_144;

/**
 * Sends something unless the caller has sent it under the same key: then waits for that, or returns it. If the outcome of a write is
 * unknown, searches for what it has sent, at once and whenever the key comes again; sends again only what is certainly not there.
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
  const { sent = null, sentId = null } = known ?? {};
  if (sentId !== null && sent === null) return options.read(sentId);
  const begin = () => {
    const send = known ?? (sends.begin(caller, key, content) as KeyedSend<T>);
    send.sent = run(send, context, options);
    return send.sent;
  };
  return unlessAborted(() => sent ?? begin(), signal, isUnderWay);
}

async function run<T extends Identified>(
  send: KeyedSend<T>,
  { sends, sharedSends, caller, signal }: GatewayContext,
  options: OnceOptions<T>,
): Promise<T> {
  let turn: SharedTurn | null = null;
  try {
    turn = (await sharedSends?.takeTurn(caller.name, send, signal)) ?? null;
    const value = await findOrWrite(send, turn, options);
    sends.arrived(send, caller.renewed(), value);
    turn?.end(value.id);
    return value;
  } catch (error) {
    send.sent = null;
    if (!send.isUnknown) sends.drop(send);
    const { before = null } = turn ?? {};
    const hasOther = before !== null && (!before.isSame || before.sentId !== null);
    turn?.end(send.isUnknown || hasOther ? undefined : null);
    throw error;
  }
}

async function findOrWrite<T>(
  send: KeyedSend<T>,
  turn: SharedTurn | null,
  { search, write, read }: OnceOptions<T>,
): Promise<T> {
  const before = turn?.before ?? null;
  if (before?.isSame === false) throw new OtherContentError();
  if (before?.sentId != null) return read(before.sentId);
  if (turn?.isOwn === false) throw isUnderWay();
  if (before !== null) {
    send.isUnknown = true;
    send.began = Math.min(send.began, performance.now() - before.agoMs);
  }
  if (send.isUnknown) {
    const found = await search(send);
    if (found === undefined) throw new OutcomeUnknownError(NOT_CERTAIN);
    if (found !== null) return found;
    send.isUnknown = false;
  }
  try {
    return await write();
  } catch (error) {
    if (!mayBeDone(error)) throw error;
    send.isUnknown = true;
    const found = await search(send);
    if (found == null) throw error;
    return found;
  }
}

class OtherContentError extends BadInputError {
  constructor() {
    super(
      'Nothing was sent: this `clientMutationId` belongs to something else that was sent in the last ten minutes. Give each a new one.',
    );
  }
}

/** Something may have been sent before, and nothing was sent now. */
class OutcomeUnknownError extends OperationalError {
  readonly code: ErrorCode = 'UPSTREAM_TIMEOUT';

  override toExtensions(): Extensions {
    return { code: this.code, outcome: 'unknown' };
  }
}

const isUnderWay = () =>
  new OutcomeUnknownError(
    'It is still being sent: ask again with the same `clientMutationId`.',
  );

const NOT_CERTAIN =
  'Nothing was sent now, and whether it was sent before is not known: ask again with the same `clientMutationId`; or read the list, and if it is not there, send it with a new `clientMutationId`.';
