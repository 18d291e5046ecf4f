import type { ApolloClient } from '@apollo/client';
import { createMessagingClient } from '../../examples/apollo-client.ts';
import type { Answers } from '../../src/embedded/answers.ts';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { startTestGateway } from '../support/gateway.ts';

/** A frontend as in a browser: Apollo Client, a gateway, and the embedded service. */
export interface Frontend {
  readonly client: ApolloClient;
  /** Reads from the service directly, without the gateway. */
  rest<T>(path: string): Promise<T>;
  [Symbol.asyncDispose](): Promise<void>;
}

const ADA = 'ada-sample-token';

export async function startFrontend(answers: Partial<Answers> = {}): Promise<Frontend> {
  await using started = new AsyncDisposableStack();
  const service = started.use(await startEmbeddedService({ answers }));
  const gateway = started.use(await startTestGateway(service.url));
  const client = createMessagingClient(`${gateway.url}/graphql`, ADA);
  started.defer(() => client.stop());
  const all = started.move();

  return {
    client,
    async rest<T>(path: string) {
      const response = await fetch(service.url + path, {
        headers: { authorization: `Bearer ${ADA}` },
      });
      return (await response.json()) as T;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
