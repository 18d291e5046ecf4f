import type { ApolloServerPlugin } from '@apollo/server';
import type { OperationContext } from './context.ts';
import { requestsExtension } from './extensions.ts';

/** Tells who asks for it which calls the operation made, in `extensions.rest`. */
export const tellCalls: ApolloServerPlugin<OperationContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ request, response: { body }, contextValue: { journal } }) {
        if (journal === null || body.kind !== 'single') return;
        if (!requestsExtension('rest', request)) return;
        const rest = journal.report();
        body.singleResult.extensions = { ...body.singleResult.extensions, rest };
      },
    };
  },
};
