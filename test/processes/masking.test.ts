import { expect, test } from 'vitest';
import { preload } from '../support/command.ts';
import { startScriptedProcess } from '../support/gateway-process.ts';
import { wireMessage, wirePage } from '../support/wire.ts';

/** Breaks the function with which resolvers encode a nodeId. Loaded before the gateway. */
const BREAK_NODE_IDS = preload(`
  const { toString } = Buffer.prototype;
  Buffer.prototype.toString = function (encoding, ...rest) {
    if (encoding === 'base64url') throw new TypeError('broken for s3cret');
    return toString.call(this, encoding, ...rest);
  };
`);

// security: internals, token-in-log
test('a bug is logged with its request id and without the token; the client gets a masked error', async () => {
  await using gateway = await startScriptedProcess(
    undefined,
    { LOG_LEVEL: 'warn' },
    BREAK_NODE_IDS,
  );

  const { status, errors } = await gateway.ask('{ message(id: "m1") { id nodeId } }', {
    token: 's3cret',
    headers: { 'x-request-id': 'r-1' },
  });
  const [entry, ...others] = await gateway.stop();

  expect(others).toEqual([]);
  expect(status).toBe(200);
  expect(errors?.map(({ message, extensions }) => ({ message, extensions }))).toEqual([
    { message: 'Internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR' } },
  ]);
  expect(entry).toMatchObject({
    level: 50,
    requestId: 'r-1',
    error: { name: 'TypeError', message: 'broken for [redacted]' },
  });
  expect(gateway.log()[0]).toContain('node-id');
  expect(gateway.log()[0]).not.toContain('s3cret');
});

// security: token-in-log
test('no log line contains the token, even if the service sends it as the name of a reaction', async () => {
  const token = 's3cret/"token"';
  const escaped = encodeURIComponent(token);
  await using gateway = await startScriptedProcess(
    {
      'GET /v1/messages/a': wireMessage('a', { reactions: [{ [token]: 'x' }] }),
      'GET /v1/messages/b': wireMessage('b', { reactions: [{ [escaped]: 'x' }] }),
      'GET /v1/messages': wirePage([
        wireMessage('m1', { reactions: [{ [token]: [1] }] }),
      ]),
    },
    { LOG_LEVEL: 'trace' },
  );

  const headers = { 'graphql-client-name': `web ${token}` };
  await gateway.ask(
    `{ a: message(id: "a") { ...reactions } b: message(id: "b") { ...reactions } messages { nodes { ...reactions } } }
    fragment reactions on Message { reactions { name } }`,
    { token, headers },
  );

  const entries = await gateway.stop();
  expect(entries.filter(({ level }) => level === 40)).toHaveLength(3);
  expect(gateway.log().join()).not.toMatch(/s3cret/);
});
