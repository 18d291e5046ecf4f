import type { AddReactionInput } from '../generated/types.ts';
import type { GatewayContext } from '../resolvers/context.ts';
import { BadInputError, OperationalError } from '../rest/errors.ts';
import { checkText } from '../rest/form.ts';
import { checkId } from '../rest/path.ts';
import { type Message, messages } from './message.ts';
import { checkReactionName, type Reaction } from './reactions.ts';
import { findViewer, SEARCH_CALLS } from './viewer.ts';

/** The calls that a change of one reaction may read with: those that find the username, and one for the message. */
export const READS_TO_REACT = SEARCH_CALLS + 1;

/** The service answered that the reactions of a message are not as they were written. */
class ReactionConflictError extends OperationalError {
  override readonly code = 'CONFLICT';
}

/** The most usernames and names that are written at once: more would take the thread for too long. */
const MAX_WRITTEN = 10_000;

/** A message with more reactions than are written at once. */
class TooManyReactionsError extends OperationalError {
  override readonly code = 'OPERATION_TOO_COSTLY';

  constructor() {
    super(
      `Nothing was written: this message has more than ${MAX_WRITTEN} reactions, which would all have to be sent.`,
    );
  }
}

/**
 * Adds one reaction of one user to a message, or takes it back. The message is read, and all its reactions are written, in turn
 * for each message: so the result is the same, whether the service adds what it is sent or replaces what is there. Writes
 * nothing if there is nothing to change. Open point: reactions in an update.
 */
export async function react(
  { messageId, name, username }: AddReactionInput,
  isAdded: boolean,
  context: GatewayContext,
): Promise<Message> {
  checkId(messageId);
  checkText(checkReactionName(name));
  checkText(username ?? '');
  const user = username ?? (await findViewer(context))?.username;
  if (user === undefined)
    throw new BadInputError('Give `username`: nothing has shown yet who you are.');
  return context.inTurn(messageId, async () => {
    const { send } = context;
    // A read that began before this turn may not show what the turn before has written.
    send.forgetReads();
    const before = await messages.get(send, messageId);
    if (has(before.reactions, name, user) === isAdded) return before;
    const written = before.reactions.reduce(
      (sum, { usernames }) => sum + 1 + usernames.length,
      0,
    );
    if (written > MAX_WRITTEN) throw new TooManyReactionsError();
    const reactions = changed(before.reactions, name, user, isAdded);
    const after = await messages.update(send, messageId, {
      reactions: reactions.map(({ name, usernames }) => ({
        name,
        usernames: [...usernames],
      })),
    });
    if (has(after.reactions, name, user) !== isAdded) throw conflict(isAdded);
    return after;
  });
}

const has = (reactions: readonly Reaction[], name: string, user: string): boolean =>
  reactions.some((one) => one.name === name && one.usernames.includes(user));

function changed(
  reactions: readonly Reaction[],
  name: string,
  user: string,
  isAdded: boolean,
): readonly Reaction[] {
  if (!isAdded)
    // A name that nobody has any more is sent empty: without it, a service that replaces each name by itself would keep it.
    return reactions.map((one) =>
      one.name === name
        ? { name, usernames: one.usernames.filter((other) => other !== user) }
        : one,
    );
  const own = reactions.find((one) => one.name === name)?.usernames ?? [];
  const others = reactions.filter((one) => one.name !== name);
  return [...others, { name, usernames: [...own, user] }];
}

const conflict = (isAdded: boolean): ReactionConflictError =>
  new ReactionConflictError(
    isAdded
      ? 'The service answered without the reaction: it may have been changed at the same time. Read the message, and try again.'
      : 'The service keeps the reaction: it adds the reactions that it is sent, and removes none.',
  );
