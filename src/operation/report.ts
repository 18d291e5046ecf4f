import type { ApolloServerPlugin, GraphQLResponse } from '@apollo/server';
import type { OperationContext } from './context.ts';

/** A longer name is not worth a log line. Unit: characters. */
const MAX_NAME_LENGTH = 256;

/** Tells of each operation how it ended; the last of the plugins, since others change the answer. */
export const watchOperations: ApolloServerPlugin<OperationContext> = {
  async requestDidStart({ contextValue: { watch, redact } }) {
    watch.begin();
    return {
      async willSendResponse({ operation, operationName, response }) {
        watch.end({
          type: operation?.operation ?? null,
          name: toName(operationName ?? null, redact),
          codes: toCodes(response),
        });
      },
    };
  },
};

/** The name as the document has it: the client may have written anything there, the token too. */
function toName(name: string | null, redact: (text: string) => string): string | null {
  if (name === null || name.length <= MAX_NAME_LENGTH) return name && redact(name);
  return '(too long)';
}

function toCodes({ body }: GraphQLResponse): string[] {
  if (body.kind !== 'single' || !body.singleResult.errors) return [];
  const codes = body.singleResult.errors.map(({ extensions }) =>
    String(extensions?.code ?? 'none'),
  );
  return [...new Set(codes)].sort();
}
