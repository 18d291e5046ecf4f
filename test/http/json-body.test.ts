import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createOperationTime } from '../../src/callers/time-limit.ts';
import type { Drain } from '../../src/http/drain.ts';
import { readJsonBody } from '../../src/http/json-body.ts';
import { accepted } from '../support/callers.ts';

// security: leaving-clients
test.each(['GET', 'POST'])(
  'a %s whose client has left is no operation that a stop waits for',
  async (method) => {
    const request = new IncomingMessage(new Socket());
    request.method = method;
    const response = new ServerResponse(request);
    response.destroy();
    await once(response, 'close');
    let begun = 0;
    const drain = { begin: () => (begun += 1) } as unknown as Drain;

    const reading = readJsonBody(
      { id: 'r1', request, replacedBody: null, response },
      {
        drain,
        operationTime: createOperationTime(1000),
        callerOf: accepted,
        holdRequest: () => null,
        incoming: { open: () => ({ hold: () => true, end() {} }) },
      },
    );

    await expect(reading).rejects.toMatchObject({ statusCode: 400 });
    expect(begun).toBe(0);
  },
);
