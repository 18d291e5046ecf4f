import { expect, test } from 'vitest';
import { type Call, startEmbeddedService } from '../../src/embedded/service.ts';
import { type ErrorBody, LISBON_PATH, startTestService } from './service.ts';

test('by default the service listens on a free port of the loopback interface', async () => {
  await using service = await startEmbeddedService();

  expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

test('the service listens on the given host and port', async () => {
  const first = await startEmbeddedService({ host: 'localhost' });
  const port = Number(new URL(first.url).port);
  await first.close();

  await using again = await startEmbeddedService({ port });

  expect(new URL(again.url).port).toBe(String(port));
});

test('a closed service accepts no requests, even on idle connections', async () => {
  const { ask, close } = await startTestService();
  await ask('GET /v1/messages');

  await close();

  await expect(ask('GET /v1/messages')).rejects.toThrow('fetch failed');
});

test('the token of every sample user is accepted, with the scheme in any case', async () => {
  await using service = await startTestService();

  const statuses = await Promise.all(
    ['Bearer', 'bearer'].flatMap((scheme) =>
      service.sampleUsers.map(async ({ token }) => {
        const authorization = `${scheme} ${token}`;
        const line = 'GET /v1/conversations';
        return (await service.ask(line, undefined, { authorization })).status;
      }),
    ),
  );

  expect(service.sampleUsers.map(({ username }) => username)).toEqual(['ada', 'grace']);
  expect(statuses).toEqual([200, 200, 200, 200]);
});

test.each([
  ['no header', null],
  ['an unknown token', 'Bearer someone-else'],
  ['no token', 'Bearer '],
  ['another scheme', 'Basic ada-sample-token'],
  ['text after the token', 'Bearer ada-sample-token x'],
])('a request with %s gets 401 with a JSON error', async (_case, authorization) => {
  await using service = await startTestService();

  const response = await service.ask<ErrorBody>('GET /v1/messages', undefined, {
    authorization,
  });

  expect(response.status).toBe(401);
  expect(response.type).toBe('application/json; charset=utf-8');
  expect(response.headers.get('www-authenticate')).toBe('Bearer');
  expect(response.body.error.code).toBe('unauthenticated');
});

test.each([
  'GET /v1/messages',
  'GET /v1/conversations',
  `GET ${LISBON_PATH}`,
  'GET /v1/messages/unknown',
])('%s is answered with JSON in UTF-8', async (line) => {
  await using service = await startTestService();

  const { type } = await service.ask(line);

  expect(type).toBe('application/json; charset=utf-8');
});

test.each([
  ['GET /', 404, 'no_such_route'],
  ['GET /messages', 404, 'no_such_route'],
  ['GET /v1/groups', 404, 'no_such_route'],
  ['GET /v2/messages', 404, 'no_such_route'],
  ['PATCH /v1/messages/x', 404, 'no_such_route'],
  ['GET /v1/messages/%zz', 400, 'invalid_request'],
])('%s is not an endpoint and gets %i with the code %s', async (line, expected, code) => {
  await using service = await startTestService();

  const { status, body } = await service.ask<ErrorBody>(line);

  expect(status).toBe(expected);
  expect(body.error.code).toBe(code);
});

test.each([
  ['a%2Fb', 'a/b'],
  ['50%25', '50%'],
  ['%F0%9F%8E%89', '🎉'],
  ['a%20b%3F', 'a b?'],
  ['x'.repeat(1024), 'x'.repeat(1024)],
])('the id in the path is decoded: %s', async (encoded, id) => {
  await using service = await startTestService();

  const { status, body } = await service.ask<ErrorBody>(`GET /v1/messages/${encoded}`);

  expect(status).toBe(404);
  expect(body.error.message).toContain(JSON.stringify(id));
});

test.each([
  ['POST /v1/messages', 'message=a%20b&x=1', 400],
  ['GET /v1/messages?limit=%31', undefined, 200],
  ['GET /v1/messages/%zz', undefined, 400],
  ['GET /v1/nothing?a=b', undefined, 404],
])(
  'onCall gets the request %s as received, and its status',
  async (line, form, status) => {
    const calls: Call[] = [];
    await using service = await startTestService({}, (call) => calls.push(call));

    await service.ask(line, form);

    const [method, url] = line.split(' ');
    const authorization = 'Bearer ada-sample-token';
    expect(calls).toEqual([{ method, url, authorization, body: form ?? '', status }]);
  },
);

test('onCall gets requests without a token or with a wrong content type too', async () => {
  const calls: Call[] = [];
  await using service = await startTestService({}, (call) => calls.push(call));

  await service.ask('GET /v1/messages?limit=%31', undefined, { authorization: null });
  await service.ask('PUT /v1/messages/x', '{}', { type: 'application/json' });

  expect(calls).toMatchObject([
    { url: '/v1/messages?limit=%31', authorization: undefined, body: '', status: 401 },
    { url: '/v1/messages/x', body: '{}', status: 415 },
  ]);
});
