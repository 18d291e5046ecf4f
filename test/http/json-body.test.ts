import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createOperationTime } from '../../src/callers/time-limit.ts';
import type { Drain } from '../../src/http/drain.ts';
import { readJsonBody } from '../../src/http/json-body.ts';
import { accepted } from '../support/callers.ts';

const PARTS = {
  operationTime: createOperationTime(1000),
  callerOf: accepted,
  forwardHeaders: null,
  holdRequest: () => null,
  incoming: { open: () => ({ hold: () => true, end() {} }) },
};

function createExchange(method: string) {
  const request = new IncomingMessage(new Socket());
  request.method = method;
  return { request, response: new ServerResponse(request) };
}

// security: leaving-clients
test.each(['GET', 'POST'])(
  'a %s whose client has left is no operation that a stop waits for',
  async (method) => {
    const { request, response } = createExchange(method);
    response.destroy();
    await once(response, 'close');
    let begun = 0;
    const drain = { begin: () => (begun += 1) } as unknown as Drain;

    const exchange = { id: 'r1', request, replacedBody: null, response };
    const reading = readJsonBody(exchange, { ...PARTS, drain });

    await expect(reading).rejects.toMatchObject({ statusCode: 400 });
    expect(begun).toBe(0);
  },
);

test('a stop does not wait for the client of a body that is no JSON, which may not read its answer', async () => {
  const { request, response } = createExchange('POST');
  request.headers['content-type'] = 'application/json';
  request.push('{');
  request.push(null);
  const answered: number[] = [];
  const drain = {
    begin: () => 1,
    answered: (number: number) => answered.push(number),
  } as unknown as Drain;

  const exchange = { id: 'r1', request, replacedBody: null, response };
  const reading = readJsonBody(exchange, { ...PARTS, drain });

  await expect(reading).rejects.toMatchObject({ statusCode: 400 });
  expect(answered).toEqual([1]);
});
