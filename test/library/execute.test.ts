import { type DocumentNode, parse } from 'graphql';
import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { NOWHERE } from '../support/http.ts';
import { subscribe } from '../support/subscribe.ts';
import { answering } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';
import {
  createScripted,
  createTestGateway,
  keepLines,
  MESSAGE,
  MESSAGE_DATA,
  PATIENT,
  SILENT,
} from './support.ts';

const MESSAGES = '{ messages { nodes { id } } }';
const UPDATE =
  'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { id } } }';

test('an operation is executed with the token, also when it is repeated', async () => {
  await using gateway = await createScripted();

  for (const token of ['ann-token', 'bob-token', 'Bearer ann-token']) {
    expect(await gateway.execute({ query: MESSAGE, token })).toEqual({
      data: MESSAGE_DATA,
    });
  }

  expect(gateway.service.calls.map(({ token }) => token)).toEqual([
    'Bearer ann-token',
    'Bearer bob-token',
    'Bearer ann-token',
  ]);
});

test('a document may be typed, as text or parsed', async () => {
  await using gateway = await createScripted();
  type Typed = {
    __apiType?: (variables: { id: string }) => { message: { message: string } | null };
  };
  const text = 'query ($id: ID!) { message(id: $id) { message } }';
  const documents = [
    parse(text) as DocumentNode & Typed,
    Object.assign(new String(text), {}) as { valueOf(): string } & Typed,
  ];

  for (const query of [...documents, ...documents]) {
    const { data } = await gateway.execute({
      query,
      variables: { id: 'm1' },
      token: 'ann-token',
    });
    expect(data?.message?.message).toBe('text m1');
  }
  // @ts-expect-error: the document's variable is a text.
  await gateway.execute({ query: documents[0], variables: { id: 1 }, token: 't' });
});

// security: other-ways-in
test.each([
  ['data', { query: MESSAGE }],
  ['no document', {}],
  ['an unknown field', { query: '{ nothing }' }],
  ['the cost', { query: MESSAGE, extensions: { cost: true } }],
  ['a subscription', { query: 'subscription { conversationChanged { kind } }' }],
  [
    'more than a mebibyte',
    { query: '{ __typename }', variables: { text: 'x'.repeat(1_048_576) } },
  ],
  [
    'too many items',
    { query: '{ __typename }', variables: { list: Array(300_000).fill(1) } },
  ],
  ['no object', null],
])('%s: the result is the one over HTTP', async (_, request) => {
  await using gateway = await createScripted();
  await using listening = await startTestGateway(gateway.service.url);
  const response = await fetch(`${listening.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
      authorization: 'Bearer ann-token',
    },
    body: JSON.stringify(request),
  });

  const result = await gateway.execute(
    request === null ? (undefined as never) : { ...request, token: 'ann-token' },
  );

  expect(result).toEqual(await response.json());
});

test.each([[undefined], ['Bearer '], [42]])('token %j: no call', async (token) => {
  await using gateway = await createScripted();

  const { data, errors } = await gateway.execute({
    query: MESSAGE,
    token: token as string,
  });

  expect(data).toEqual({ message: null });
  expect(errors?.map(({ extensions }) => extensions?.code)).toEqual(['UNAUTHENTICATED']);
  expect(gateway.service.calls).toEqual([]);
});

test('variables become JSON when they are given, and later changes have no effect', async () => {
  await using gateway = await createScripted({ 'POST /v1/messages': wireMessage('m1') });
  const attachment = { at: new Date(0), gone: undefined };
  const input = { conversationId: 'c1', message: 'hello', attachments: [attachment] };

  const result = gateway.execute({
    query:
      'mutation($input: SendMessageInput!) { sendMessage(input: $input) { message { id } } }',
    variables: { input },
    token: 't',
  });
  input.message = 'changed';

  expect((await result).errors).toBeUndefined();
  expect(decodeURIComponent(gateway.service.calls[0]?.form ?? '')).toBe(
    'conversation_id=c1&message=hello&attachments[0][at]=1970-01-01T00:00:00.000Z',
  );
});

test('a value without JSON in the variables is an error in the result', async () => {
  await using gateway = await createTestGateway(NOWHERE);

  const { errors } = await gateway.execute({
    query: '{ __typename }',
    variables: { n: 1n },
  });

  expect(errors).toEqual([
    {
      message:
        'The request could not be read: variables and extensions must be JSON, and headers to forward must be texts that HTTP allows.',
      extensions: { code: 'BAD_REQUEST' },
    },
  ]);
});

test('a signal that is aborted before sends nothing', async () => {
  await using gateway = await createScripted();
  const signal = AbortSignal.abort(new Error('not wanted'));

  const result = gateway.execute({ query: MESSAGE, token: 't', signal });

  await expect(result).rejects.toThrow('not wanted');
  expect(gateway.service.calls).toEqual([]);
});

test('a signal that is aborted meanwhile ends the calls to the service, and is logged', async () => {
  const { lines, logger } = keepLines();
  await using gateway = await createScripted(SILENT, { ...PATIENT, logger });
  const { service } = gateway;
  const control = new AbortController();
  const result = gateway.execute({ query: MESSAGE, token: 't', signal: control.signal });
  await expect.poll(() => service.calls.length).toBe(1);

  control.abort(new Error('not wanted any more'));

  await expect(result).rejects.toThrow('not wanted any more');
  await expect.poll(() => service.aborted).toEqual(['GET /v1/messages/m1']);
  expect(lines.filter(({ msg }) => msg === 'operation')).toEqual([
    expect.objectContaining({ clientLeft: true }),
  ]);
});

// security: secret-headers
test('the headers of REST_HEADERS go to the service with every call, and nowhere else', async () => {
  const { lines, logger } = keepLines();
  const restHeaders = {
    'x-client': 'ann-token-and-more',
    'x-api-key': 'Key 0123456789',
    cookie: 'session=abcdefghij; tenant=a',
  };
  const echo = { status: 422, body: 'ann-token-and-more Key 0123456789, abcdefghij a' };
  await using gateway = await createScripted(
    { 'GET /v1/messages/m1': answering(echo), 'PUT /v1/messages/m1': answering(echo) },
    { logger, restHeaders },
  );
  const ask = (query: string) =>
    gateway.execute({ query, token: 'ann-token', requestId: 'r-1' });
  const results = [await ask(MESSAGE), await ask(UPDATE)];
  await using polling = await startTestGateway(gateway.service.url, {
    REST_HEADERS: JSON.stringify(restHeaders),
  });
  await using _live = await subscribe(
    polling.url,
    'subscription { conversationChanged { kind } }',
  );
  const { headers, calls } = gateway.service;
  await expect.poll(() => calls.length).toBe(3);

  expect(calls.map(({ line }) => line)).toEqual([
    'GET /v1/messages/m1',
    'PUT /v1/messages/m1',
    'GET /v1/conversations?limit=100',
  ]);
  for (const sent of headers)
    expect(sent).toMatchObject({ ...restHeaders, authorization: 'Bearer ann-token' });
  const shown = JSON.stringify([results, lines]);
  expect(shown).toContain('[redacted] Key [redacted], [redacted] a');
  expect(shown).not.toMatch(/0123456789|abcdefghij|and-more/);
});

test("the process's logger gets the lines, with the given request id and without the token", async () => {
  const { lines, logger } = keepLines();
  await using gateway = await createScripted(
    {
      'GET /v1/messages/m1': answering({ status: 500, body: 'echo: secret_token' }),
      'GET /v1/messages/m2': answering({ status: 400, body: 'echo: secret_token' }),
    },
    { logger },
  );

  const result = await gateway.execute({
    query:
      'query secret_token { a: message(id: "m1") { id } b: message(id: "m2") { id } }',
    token: 'secret_token',
    requestId: 'r-1',
  });

  expect(JSON.stringify(result)).not.toContain('secret_token');
  expect(JSON.stringify(lines)).not.toContain('secret_token');
  expect(lines).toEqual([
    expect.objectContaining({ level: 'warn', requestId: 'r-1', status: 500 }),
    expect.objectContaining({
      level: 'info',
      msg: 'operation',
      requestId: 'r-1',
      type: 'query',
      restCalls: 2,
    }),
  ]);
  expect(gateway.service.headers[0]?.['x-request-id']).toBe('r-1');
});

// The log has the faults of a set-up, as it has those of the service; a caller could cause all others at will.
test.each([
  [MESSAGES, [301, 404, 405, 407, 410, 415]],
  [MESSAGE, [302, 307, 405, 421]],
  [UPDATE, [303, 405]],
  ['{ messages(conversationId: "c1") { nodes { id } } }', [301]],
])('%s: of the answers below 500, %s are logged', async (query, logged) => {
  const callersOwn = [400, 401, 403, 404, 409, 410, 413, 422, 429, 451];
  const { lines, logger } = keepLines();
  await using gateway = await createScripted(
    (_call, { 'x-request-id': id }) => ({ status: Number(id), body: 'No' }),
    { logger, restRetries: 0 },
  );

  for (const status of new Set([...callersOwn, ...logged]))
    await gateway.execute({ query, token: 'ann-token', requestId: `${status}` });

  const warnings = lines.filter(({ level }) => level === 'warn');
  expect(warnings.map(({ status }) => status).sort()).toEqual(logged);
});

test('the log says what is probably wrong with the set-up', async () => {
  const { lines, logger } = keepLines();
  await using gateway = await createScripted({}, { logger });

  await gateway.execute({ query: MESSAGES, token: 'ann-token' });

  expect(lines[0]).toMatchObject({
    level: 'warn',
    msg: 'GET /v1/messages answered 404 (the service has no such list at this address: check MESSAGING_URL)',
  });
});

test('two gateways in one process have settings, services and metrics of their own', async () => {
  await using ann = await createScripted();
  await using bob = await createScripted(
    { 'GET /v1/messages/m1': wireMessage('m1', { message: 'another' }) },
    { maxRestCalls: 1 },
  );
  await using uncounted = await createTestGateway(NOWHERE, { metrics: false });
  const two = '{ a: message(id: "m1") { message } b: message(id: "m2") { message } }';

  const results = await Promise.all([
    ann.execute({ query: MESSAGE, token: 't' }),
    bob.execute({ query: two, token: 't' }),
  ]);
  const metrics = await ann.metrics();
  await ann.close();

  expect(results[0]).toEqual({ data: MESSAGE_DATA });
  expect(results[1]?.errors?.[0]?.extensions?.code).toBe('OPERATION_TOO_COSTLY');
  expect(await bob.execute({ query: MESSAGE, token: 't' })).toEqual({
    data: { message: { message: 'another' } },
  });
  const counted = 'gateway_operations_total{type="query",codes="none"} 1';
  expect(metrics).toContain(counted);
  expect(metrics).not.toMatch(/process_cpu|codes="OPERATION_TOO_COSTLY"/);
  expect(await uncounted.metrics()).toBe('');
});

test('close lets running operations finish, and refuses later ones', async () => {
  await using gateway = await createScripted({
    'GET /v1/messages/m1': answering({ body: wireMessage('m1'), delayMs: 300 }),
  });
  let isAnswered = false;
  const running = gateway.execute({ query: MESSAGE, token: 't' }).then((result) => {
    isAnswered = true;
    return result;
  });
  await expect.poll(() => gateway.service.calls.length).toBe(1);

  const closed = Promise.all([gateway.close(), gateway.close()]);
  const refused = await gateway.execute({ query: MESSAGE, token: 't' });
  (refused.errors as unknown[]).length = 0;
  const late = await gateway.execute({ query: MESSAGE, token: 't' });
  await closed;

  expect(isAnswered).toBe(true);
  expect(await running).toEqual({ data: MESSAGE_DATA });
  expect(late).toEqual({
    errors: [
      {
        message: 'This gateway is closed.',
        extensions: { code: 'OVERLOADED', retryAfterSeconds: 1 },
      },
    ],
  });
  expect(gateway.service.calls).toHaveLength(1);
});

test('close waits no longer than an operation may take', async () => {
  await using gateway = await createScripted(SILENT, { operationTimeoutMs: 100 });
  const running = gateway.execute({ query: MESSAGE, token: 't' });

  await gateway.close();

  expect((await running).errors?.[0]?.extensions?.code).toBe('UPSTREAM_TIMEOUT');
});

// security: sockets-of-strangers
test('what waits for its turn is not validated when its client leaves', async () => {
  const log = keepLines();
  await using gateway = await createTestGateway(NOWHERE, { logger: log.logger });
  const selections = Array.from({ length: 1000 }, (_, i) => `a${i}: id`).join(' ');
  const query = `{ message(id: "m1") { ${selections} } nothing }`;
  const leave = new AbortController();

  const answers = Array.from({ length: 1000 }, () =>
    gateway.execute({ query, signal: leave.signal }).catch(() => 'left'),
  );
  leave.abort();
  await Promise.all(answers);

  // Those of the first two milliseconds began at once.
  const validated = log.lines.filter(({ msg }) => msg === 'operation');
  expect(validated.length).toBeLessThan(500);
});

test('what waits for its turn is not parsed yet, so hundreds of long requests fit', async () => {
  await using gateway = await createTestGateway(NOWHERE);
  const variables = { list: Array(40_000).fill(1) };

  const results = await Promise.all(
    Array.from({ length: 200 }, () =>
      gateway.execute({ query: '{ __typename }', variables }),
    ),
  );

  expect(results).toEqual(Array(200).fill({ data: { __typename: 'Query' } }));
});
