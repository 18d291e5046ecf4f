import { expect, test } from 'vitest';
import { type Call, startEmbeddedService } from '../../src/embedded/service.ts';
import { type ErrorBody, LISBON, startAskedService } from './service.ts';

test('the address is on loopback, without a slash or a version at its end', async () => {
  await using service = await startEmbeddedService();

  expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

test('a host and a port are taken as given', async () => {
  const first = await startEmbeddedService({ host: 'localhost' });
  const port = Number(new URL(first.url).port);
  await first.close();

  await using again = await startEmbeddedService({ port });

  expect(new URL(again.url).port).toBe(String(port));
});

test('a closed service takes no more requests, even while connections are idle', async () => {
  const { ask, close } = await startAskedService();
  await ask('GET /v1/messages');

  await close();

  await expect(ask('GET /v1/messages')).rejects.toThrow('fetch failed');
});

test('every sample user is let in by their token', async () => {
  await using service = await startAskedService();

  const statuses = await Promise.all(
    service.sampleUsers.map(async ({ token }) => {
      const { status } = await service.ask('GET /v1/conversations', undefined, {
        authorization: `Bearer ${token}`,
      });
      return status;
    }),
  );

  expect(service.sampleUsers.map(({ username }) => username)).toEqual(['ada', 'grace']);
  expect(statuses).toEqual([200, 200]);
});

test.each([
  ['no header', null],
  ['an unknown token', 'Bearer someone-else'],
  ['no token', 'Bearer '],
  ['another scheme', 'Basic ada-sample-token'],
  ['a token and more', 'Bearer ada-sample-token x'],
])('%s is 401 with a JSON error', async (_case, authorization) => {
  await using service = await startAskedService();

  const answer = await service.ask<ErrorBody>('GET /v1/messages', undefined, {
    authorization,
  });

  expect(answer.status).toBe(401);
  expect(answer.type).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  expect(answer.body.error.code).toBe('unauthenticated');
});

test('the scheme may be written in any case', async () => {
  await using service = await startAskedService();

  const { status } = await service.ask('GET /v1/messages', undefined, {
    authorization: 'bearer ada-sample-token',
  });

  expect(status).toBe(200);
});

test.each([
  'GET /v1/messages',
  'GET /v1/conversations',
  `GET /v1/conversations/${LISBON}`,
  'GET /v1/messages/unknown',
])('%s answers with JSON in UTF-8', async (line) => {
  await using service = await startAskedService();

  const { type } = await service.ask(line);

  expect(type).toBe('application/json; charset=utf-8');
});

test.each([
  'GET /',
  'GET /messages',
  'GET /v1/groups',
  'GET /v2/messages',
  'PATCH /v1/messages/x',
])('%s is no endpoint: 404 with a JSON error', async (line) => {
  await using service = await startAskedService();

  const { status, body } = await service.ask<ErrorBody>(line);

  expect(status).toBe(404);
  expect(body.error.code).toBe('no_such_route');
});

test.each([
  ['a%2Fb', 'a/b'],
  ['50%25', '50%'],
  ['%F0%9F%8E%89', '🎉'],
  ['a%20b%3F', 'a b?'],
  ['x'.repeat(1024), 'x'.repeat(1024)],
])('the id in the path %s is decoded', async (encoded, id) => {
  await using service = await startAskedService();

  const { status, body } = await service.ask<ErrorBody>(`GET /v1/messages/${encoded}`);

  expect(status).toBe(404);
  expect(body.error.message).toContain(JSON.stringify(id));
});

test('malformed percent encoding in the path is 400 with a JSON error', async () => {
  await using service = await startAskedService();

  const { status, body } = await service.ask<ErrorBody>('GET /v1/messages/%zz');

  expect(status).toBe(400);
  expect(body.error.code).toBe('invalid_request');
});

test('a call is told as it arrived, with the status of its answer', async () => {
  const calls: Call[] = [];
  await using service = await startAskedService({}, (call) => calls.push(call));

  await service.ask('POST /v1/messages', 'message=a%20b&x=1');

  expect(calls).toEqual([
    {
      method: 'POST',
      url: '/v1/messages',
      authorization: 'Bearer ada-sample-token',
      body: 'message=a%20b&x=1',
      status: 400,
    },
  ]);
});

test.each([
  ['GET /v1/messages?limit=%31', undefined, null, 401],
  ['GET /v1/messages/%zz', undefined, null, 400],
  ['GET /v1/nothing?a=b', undefined, null, 404],
  ['PUT /v1/messages/x', '{}', 'application/json', 415],
])('%s is told too, once', async (line, body, type, status) => {
  const calls: Call[] = [];
  await using service = await startAskedService({}, (call) => calls.push(call));
  const options = type === null ? { authorization: null } : { type };

  await service.ask(line, body, options);

  expect(calls).toMatchObject([{ url: line.split(' ')[1], body: body ?? '', status }]);
});
