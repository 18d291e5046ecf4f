import { expect, test } from 'vitest';
import type { Answers } from '../../src/embedded/answers.ts';
import { GRACE, LISBON_PATH, startTestService, startWithMessage } from './service.ts';

test('readStatus, createStatus, updateStatus and deleteStatus set the status of a success', async () => {
  await using service = await startWithMessage({
    readStatus: 203,
    createStatus: 201,
    updateStatus: 202,
    deleteStatus: 206,
  });

  const read = await service.ask(`GET ${service.path}`);
  const updated = await service.ask(`PUT ${service.path}`, 'message=b');
  const deleted = await service.ask(`DELETE ${service.path}`);

  expect([read, service.sent, updated, deleted].map(({ status }) => status)).toEqual([
    203, 201, 202, 206,
  ]);
});

test.each<[Partial<Answers>, number, string]>([
  [{}, 200, '{"deleted":true}'],
  [{ deleteBody: 'empty' }, 200, ''],
  [{ deleteBody: 'text' }, 200, 'deleted'],
  [{ deleteBody: 'object' }, 200, 'MESSAGE'],
  [{ deleteStatus: 204 }, 204, ''],
  [{ deleteStatus: 204, deleteBody: 'object' }, 204, ''],
])('with %j a delete gets %i with the body "%s"', async (answers, status, text) => {
  await using service = await startWithMessage(answers);

  const deleted = await service.ask(`DELETE ${service.path}`);

  expect(deleted).toMatchObject({
    status,
    text: text.replace('MESSAGE', service.sent.text),
  });
});

test.each<[Answers['errorFormat'], string | null, string]>([
  [
    'json',
    'application/json; charset=utf-8',
    '{"error":{"code":"not_found","message":"no message has the id \\"<b>\\""}}',
  ],
  [
    'problem',
    'application/problem+json; charset=utf-8',
    '{"type":"about:blank","title":"not_found","status":404,"detail":"no message has the id \\"<b>\\""}',
  ],
  ['text', 'text/plain; charset=utf-8', 'no message has the id "<b>"'],
  [
    'html',
    'text/html; charset=utf-8',
    '<!doctype html><title>404</title><p>no message has the id "&lt;b&gt;"</p>',
  ],
  ['empty', null, ''],
])('with errorFormat=%s an error has the type %s', async (errorFormat, type, text) => {
  await using service = await startTestService({ errorFormat });

  const response = await service.ask('GET /v1/messages/%3Cb%3E');

  expect(response).toMatchObject({ status: 404, type, text });
});

test('rateLimit counts the calls of each token separately, in each second', async () => {
  await using service = await startTestService({ rateLimit: 2 });

  const calls = [1, 2, 3, 4].map(() => service.ask(`GET ${LISBON_PATH}`));
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  const other = await service.ask('GET /v1/messages', undefined, GRACE);
  await new Promise((resolve) => setTimeout(resolve, 1010));
  const later = await service.ask(`GET ${LISBON_PATH}`);

  expect(statuses.toSorted()).toEqual([200, 200, 429, 429]);
  expect([other.status, later.status]).toEqual([200, 200]);
});
