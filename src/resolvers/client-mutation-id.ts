import type { GraphQLSchema } from 'graphql';
import { waitUnlessAborted } from '../callers/abort.ts';
import { BadInputError } from '../rest/errors.ts';
import type { GatewayContext } from './context.ts';

/** The longest `clientMutationId`. Unit: characters. */
const MAX_LENGTH = 128;

/** Adds the `clientMutationId` of its input to the payload of every mutation, and refuses one that is empty or too long. */
export function repeatClientMutationIds(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve } = field;
    if (resolve === undefined) continue;
    field.resolve = async (root, args, context: GatewayContext, info) => {
      const clientMutationId: string | null = args.input.clientMutationId ?? null;
      const length = clientMutationId?.length ?? 1;
      if (length === 0 || length > MAX_LENGTH)
        throw new BadInputError(
          `\`clientMutationId\` takes 1 to ${MAX_LENGTH} characters, not ${length}.`,
        );
      const payload = (await resolve(root, args, context, info)) as object;
      return { ...payload, clientMutationId };
    };
  }
}

/**
 * The `clientMutationId` with which the caller has sent an object; null if it is not known. `isNew`: the object may come from a write
 * that is still under way in this process; then waits for the caller's writes first.
 */
export async function findKey(
  id: string,
  isNew: boolean,
  { sends, sharedSends, caller, signal }: GatewayContext,
): Promise<string | null> {
  if (isNew && sends.keyOf(caller, id) === null) {
    const open = Promise.allSettled(sends.open(caller).map(({ sent }) => sent));
    await waitUnlessAborted(signal, (go) => {
      void open.then(go);
      return () => {};
    });
  }
  const own = sends.keyOf(caller, id);
  return own ?? (await sharedSends?.keyOf(caller.name, id)) ?? null;
}
