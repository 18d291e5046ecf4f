import { on, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createMeters, toByteBounds } from '../../src/rest/bytes.ts';
import { MissingTokenError, RestNetworkError } from '../../src/rest/errors.ts';
import { InFlight } from '../../src/rest/in-flight.ts';
import { path } from '../../src/rest/path.ts';
import { createRedactor } from '../../src/rest/redact.ts';
import { createParse } from '../../src/rest/response.ts';
import { Send } from '../../src/rest/send.ts';
import { accepted } from '../support/callers.ts';

/** Sends one write, and returns what happened, in order. */
async function write({
  token = 'ann-token',
  signal = new AbortController().signal,
  happened = [],
}: {
  token?: string | null;
  signal?: AbortSignal;
  happened?: string[];
}) {
  const caller = {
    signal,
    deadline: Number.POSITIVE_INFINITY,
    observer: {
      headers: {},
      begin() {
        throw new Error('not called');
      },
      ended: null,
    },
    budget: { spend: () => {} },
    meter: createMeters(toByteBounds(0)).open(accepted(token)),
    redact: createRedactor(token),
  };
  const send = new Send(caller, {
    call({ body }, outcome) {
      happened.push(`sent ${body}`);
      outcome.resolve({ status: 200, headers: {}, text: '{}', bytes: 2 });
    },
    inFlight: new InFlight(),
    onDrift: () => {},
    parse: createParse('none'),
  });
  const turn = setImmediate().then(() => happened.push('another caller'));
  const error: unknown = await send
    .write('POST', path`/messages`, {
      encode() {
        happened.push('encoded');
        return 'a=1';
      },
      read: () => null,
    })
    .catch((thrown: unknown) => thrown);
  await turn;
  return { happened, error };
}

describe('a write', () => {
  // security: large-forms
  test('lets other callers run before it encodes its form', async () => {
    const { happened } = await write({});

    expect(happened).toEqual(['another caller', 'encoded', 'sent a=1']);
  });

  // security: large-forms
  test('lets a request be read that arrived while it began', async () => {
    const happened: string[] = [];
    await using server = createServer();
    const accepted: AsyncIterator<Socket[], undefined> = on(server, 'connection');
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const clients = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')] as const;
    const [first] = (await accepted.next()).value ?? [];
    const [second] = (await accepted.next()).value ?? [];
    second?.once('data', () => happened.push('another request'));
    const written = new Promise((resolve) => {
      first?.once('data', () => {
        const writing = write({ happened });
        clients[1].write('x');
        resolve(writing);
      });
    });

    clients[0].write('x');
    await written;

    for (const client of clients) client.destroy();
    expect(happened).toEqual([
      'another caller',
      'another request',
      'encoded',
      'sent a=1',
    ]);
  });

  // security: large-forms
  test('without a token encodes nothing', async () => {
    const { happened, error } = await write({ token: null });

    expect(error).toBeInstanceOf(MissingTokenError);
    expect(happened).toEqual(['another caller']);
  });

  test('encodes and sends nothing after its caller has left', async () => {
    const controller = new AbortController();
    const left = write({ signal: controller.signal });
    controller.abort();

    const { happened, error } = await left;

    expect(error).toBeInstanceOf(RestNetworkError);
    expect(error).toMatchObject({
      kind: 'timeout',
      mayHaveLeft: false,
      outcomeUnknown: false,
    });
    expect(happened).toEqual(['another caller']);
  });
});
