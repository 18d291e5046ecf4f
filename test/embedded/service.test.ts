import { expect, test } from 'vitest';
import { type Call, startEmbeddedService } from '../../src/embedded/service.ts';
import { findPorts } from '../ci/replicas/ports.ts';
import { type ErrorBody, startTestService } from './service.ts';

test('the service listens on any free port of the loopback interface, or where it is told', async () => {
  const first = await startEmbeddedService();
  expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  await first.close();
  // The port of `first` may be another connection's by now.
  const [port = 0] = await findPorts(1);

  await using again = await startEmbeddedService({ host: 'localhost', port });

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
])('a request with %s gets 401 with a JSON error', async (_, authorization) => {
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
  ['GET /', 404, 'no_such_route', 'GET /'],
  ['GET /v1/nowhere', 404, 'no_such_route', '/v1/nowhere'],
  ['PATCH /v1/messages/x', 404, 'no_such_route', 'PATCH'],
  ['GET /v1/messages/%zz', 400, 'invalid_request', 'malformed'],
  // The id in the path is decoded.
  ['GET /v1/messages/a%2Fb%3F%25%20%F0%9F%8E%89', 404, 'not_found', '"a/b?% 🎉"'],
])('%s gets %i with the code %s', async (line, expected, code, named) => {
  await using service = await startTestService();

  const { status, body } = await service.ask<ErrorBody>(line);

  expect(status).toBe(expected);
  expect(body.error.code).toBe(code);
  expect(body.error.message).toContain(named);
});

test('onCall gets each request as received, and its status', async () => {
  const calls: Call[] = [];
  await using service = await startTestService({}, (call) => calls.push(call));
  await service.ask('GET /v1/messages?limit=%31');
  await service.ask('POST /v1/messages', 'message=a%20b&x=1');
  await service.ask('GET /v1/nothing?a=b', undefined, { authorization: null });
  await service.ask('PUT /v1/messages/x', '{}', { type: 'application/json' });

  const authorization = 'Bearer ada-sample-token';
  const [get, post, nothing, put] = calls;
  const url = '/v1/messages?limit=%31';
  expect(get).toEqual({ method: 'GET', url, authorization, body: '', status: 200 });
  expect(post).toMatchObject({ body: 'message=a%20b&x=1', status: 400 });
  expect(nothing).toMatchObject({ url: '/v1/nothing?a=b', status: 404 });
  expect(nothing?.authorization).toBeUndefined();
  expect(put).toMatchObject({ method: 'PUT', body: '{}', status: 415 });
});
