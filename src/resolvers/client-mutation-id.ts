import type { GraphQLSchema } from 'graphql';
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
