import type { UpdateConversationInput } from '../generated/types.ts';
import type { GatewayContext } from '../resolvers/context.ts';
import { BadInputError } from '../rest/errors.ts';
import {
  type TimestampUnit,
  TimestampUnitError,
  toTimestamp,
  unitOf,
} from '../rest/timestamp.ts';
import { type ConversationUpdate, checkChange, conversations } from './conversation.ts';

/** The change that an input asks for, with `archivedAt` in the service's unit, whichever of the two fields gives it. */
export async function toConversationChange(
  { archivedAtIso, ...change }: UpdateConversationInput,
  context: GatewayContext,
): Promise<ConversationUpdate> {
  if (archivedAtIso === undefined) return change;
  if (change.archivedAt !== undefined) {
    throw new BadInputError('Give `archivedAt` or `archivedAtIso`, not both.');
  }
  if (archivedAtIso === null) return { ...change, archivedAt: null };
  // A change that the gateway itself refuses costs no call.
  checkChange(change);
  const unit = context.timestamps.unit ?? (await readUnit(change.id, context));
  return { ...change, archivedAt: toTimestamp(archivedAtIso, unit) };
}

/** A wrong unit would be written silently, so where none is set, the conversation itself is read. */
async function readUnit(
  id: string,
  { send, budget }: GatewayContext,
): Promise<TimestampUnit> {
  if (!budget.takeSlack()) {
    throw new TimestampUnitError(
      'The unit of timestamps is not set, and MAX_REST_CALLS leaves no call to read one. Set TIMESTAMP_UNIT, or give `archivedAt`.',
    );
  }
  const { createdAt } = await conversations.get(send, id);
  const unit = unitOf(createdAt);
  if (unit !== null) return unit;
  throw new TimestampUnitError(
    'The creation of this conversation does not show the unit of timestamps. Set TIMESTAMP_UNIT, or give `archivedAt`.',
  );
}
