import { expect, test } from 'vitest';
import { createOperationTime } from '../../src/callers/time-limit.ts';
import type { HttpContext } from '../../src/http/context.ts';
import { createGraphqlRoute } from '../../src/http/graphql-route.ts';
import { createIncoming } from '../../src/http/incoming.ts';
import { createSender } from '../../src/http/send-answer.ts';
import { createSlowClientGuard } from '../../src/http/slow-clients.ts';
import { createStreams } from '../../src/http/streams.ts';
import type { OperationRequest } from '../../src/operation/request.ts';
import { accepted } from '../support/callers.ts';
import { serve } from '../support/http.ts';
import { createResults } from '../support/results.ts';
import { subscribe } from '../support/subscribe.ts';

test('a subscription that has begun gets its events, although the time of its operation is up', async () => {
  const events = createResults();
  const slowClients = createSlowClientGuard({ maxSendingBytes: 1 });
  const context = {
    callerOf: accepted,
    forwardHeaders: null,
    corsOrigins: '*',
    count() {},
    drain: { begin: () => 1, answered() {}, end() {}, isDraining: () => false },
    holdRequest: () => () => {},
    incoming: createIncoming(accepted, 1_000_000),
    operationTime: createOperationTime(50),
    slowClients,
    streams: createStreams(),
    async subscribe({ lifetime }: OperationRequest) {
      await new Promise<void>((handleEvent) => {
        lifetime.addEventListener('abort', { handleEvent });
      });
      return events.results;
    },
  } as unknown as HttpContext;
  const route = createGraphqlRoute(context);
  const { send } = createSender(context);
  await using server = await serve(async (request, response) => {
    const exchange = { id: 'r1', request, replacedBody: null, response };
    send(exchange, await route(exchange), 'none');
  });
  events.send({ kind: 'CREATED' });

  await using live = await subscribe(server.url, 'x');

  expect(await live.next()).toEqual({ data: { kind: 'CREATED' } });
  expect(events.ends).toEqual([]);
  slowClients.stop();
});
