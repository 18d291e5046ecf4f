import { createMessagingClient } from '../../examples/apollo-client.ts';
import type { Answers } from '../../src/embedded/answers.ts';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { startTestGateway } from '../support/gateway.ts';

const ADA = 'ada-sample-token';

/** A frontend as in a browser: Apollo Client, a gateway, and the embedded service. */
export async function startFrontend(answers: Partial<Answers> = {}) {
  await using started = new AsyncDisposableStack();
  const service = started.use(await startEmbeddedService({ answers }));
  const gateway = started.use(await startTestGateway(service.url));
  const client = createMessagingClient(`${gateway.url}/graphql`, () => ADA);
  started.defer(() => client.stop());
  const all = started.move();

  return {
    client,
    /** Reads from the service directly, without the gateway. */
    async rest<T>(path: string) {
      const response = await fetch(service.url + path, {
        headers: { authorization: `Bearer ${ADA}` },
      });
      return (await response.json()) as T;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
export type Frontend = Awaited<ReturnType<typeof startFrontend>>;
