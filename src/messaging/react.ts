import type { AddReactionInput } from '../generated/types.ts';
import type { GatewayContext } from '../resolvers/context.ts';
import { BadInputError, OperationalError } from '../rest/errors.ts';
import { checkText } from '../rest/form.ts';
import { checkId } from '../rest/path.ts';
import { type Message, messages } from './message.ts';
import { messageTouches } from './message-changes.ts';
import { checkReactionName, type Reaction } from './reactions.ts';
import { findViewerAnew, SEARCH_CALLS } from './viewer.ts';

/** The calls that a change of one reaction may read with: those that find the username, and two for the message. */
export const READS_TO_REACT = SEARCH_CALLS + 2;
/** The longest form of all reactions: to write a longer one would take the thread for too long. Unit: characters, unescaped. */
const MAX_FORM = 524_288;
/** What `reactions[]=&` and the like add to each username. Unit: characters. */
const CHARACTERS_PER_FIELD = 14;

/** The reactions of a message are not as they should be, before they are written or afterwards. */
class ReactionConflictError extends OperationalError {
  override readonly code = 'CONFLICT';
}

/**
 * Adds one reaction of one user to a message, or takes it back. The message is read, and all its reactions are written, in turn
 * for each message: so those of others stay, whether the service adds what it is sent or replaces what is there. Writes nothing
 * if there is nothing to change. Open point: reactions in an update.
 */
export async function react(
  change: 'add' | 'remove',
  { messageId, name, username }: AddReactionInput,
  context: GatewayContext,
): Promise<Message> {
  checkId(messageId);
  checkText(checkReactionName(name));
  checkText(username ?? '');
  const user = username ?? (await findViewerAnew(context))?.username;
  if (user === undefined)
    throw new BadInputError('Give `username`: nothing has shown yet who you are.');
  const { send, caller, loaders, inTurn, afterWrite } = context;
  // Only callers whose tokens the service has accepted have turns: this read shows whether it does.
  if (!caller.isAccepted) await messages.get(send, messageId);
  return inTurn(messageId, async (mayWrite) => {
    // A read that began before this turn may not show what the turn before has written.
    send.forgetReads();
    const before = await messages.get(send, messageId);
    if (has(before, name, user) === (change === 'add')) {
      loaders.of(messages).prime(before);
      return before;
    }
    const reactions = changed(change, before.reactions.value, name, user);
    checkLength(reactions);
    const update = messages
      .update(send, messageId, { reactions }, mayWrite)
      .catch(blameOthers);
    const touches = messageTouches(messageId, context.live);
    const after = await afterWrite(update, touches, messages);
    if (has(after, name, user) !== (change === 'add')) throw conflict(change);
    return after;
  });
}

const has = ({ reactions }: Message, name: string, user: string): boolean =>
  reactions.value.some((one) => one.name === name && one.usernames.includes(user));

/** A name that loses its last user is sent with an empty list, because a service may keep the names that it is not sent. */
function changed(
  change: 'add' | 'remove',
  reactions: readonly Reaction[],
  name: string,
  user: string,
): readonly Reaction[] {
  const byName = new Map(reactions.map((one) => [one.name, one.usernames]));
  const before = byName.get(name) ?? [];
  const after =
    change === 'add' ? [...before, user] : before.filter((other) => other !== user);
  byName.set(name, after);
  return Array.from(byName, ([name, usernames]) => ({ name, usernames }));
}

function checkLength(reactions: readonly Reaction[]): void {
  let length = 0;
  for (const { name, usernames } of reactions)
    for (const username of ['', ...usernames])
      length += name.length + username.length + CHARACTERS_PER_FIELD;
  if (length > MAX_FORM)
    throw new ReactionConflictError(
      `Nothing was written: all reactions would have to be sent, and they are longer than ${MAX_FORM} characters.`,
    );
}

/** For `.catch`: the input was checked before, so it is one of the other reactions that a form cannot carry. */
function blameOthers(error: unknown): never {
  if (!(error instanceof BadInputError)) throw error;
  throw new ReactionConflictError(
    'Nothing was written: all reactions would have to be sent, and no form can carry one of the others.',
  );
}

const conflict = (change: 'add' | 'remove'): ReactionConflictError =>
  new ReactionConflictError(
    change === 'add'
      ? 'The service answered without the reaction: it may have been changed at the same time. Read the message, and try again.'
      : 'The service still shows the reaction: it seems to add what it is sent, and to remove nothing.',
  );
