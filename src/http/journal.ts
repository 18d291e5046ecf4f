import type { ApolloServerPlugin } from '@apollo/server';
import { asksFor } from './asked.ts';
import type { OperationContext } from './operation.ts';

/** Tells who asks for it which calls the operation made, in `extensions.rest`. */
export const tellCalls: ApolloServerPlugin<OperationContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ request, response: { body }, contextValue: { journal } }) {
        if (journal === null || body.kind !== 'single') return;
        if (!asksFor('rest', request)) return;
        const rest = journal.report();
        body.singleResult.extensions = { ...body.singleResult.extensions, rest };
      },
    };
  },
};
