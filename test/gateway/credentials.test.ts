import { describe, expect, test } from 'vitest';
import { codes, startTestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const READ = '{ message(id: "m1") { id } }';
const WRITE =
  'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { id } } }';

describe('without a bearer token', () => {
  test.each<[string, Record<string, string>]>([
    ['no header', {}],
    ['an empty header', { authorization: '' }],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['no token', { authorization: 'Bearer' }],
    ['two tokens', { authorization: 'Bearer a b' }],
    ['two spaces', { authorization: 'Bearer  a' }],
    ['a letter outside ASCII', { authorization: 'Bearer \u00fc' }],
  ])('no call is made, and fields are UNAUTHENTICATED: %s', async (_what, headers) => {
    await using upstream = await startUpstream({});
    await using gateway = await startTestGateway(upstream.url);
    const options = { token: null, headers };

    const read = await gateway.ask(
      '{ __typename message(id: "m1") { id } messages { nodes { id } } }',
      options,
    );
    const written = await gateway.ask(WRITE, options);

    expect(read.status).toBe(200);
    expect(read.data).toEqual({ __typename: 'Query', message: null, messages: null });
    expect(codes(read)).toEqual({
      message: 'UNAUTHENTICATED',
      messages: 'UNAUTHENTICATED',
    });
    expect(codes(written)).toEqual({ updateMessage: 'UNAUTHENTICATED' });
    expect(upstream.calls).toEqual([]);
  });

  test('introspection works', async () => {
    await using gateway = await startTestGateway('http://127.0.0.1:1');

    const { data } = await gateway.ask('{ __schema { queryType { name } } }', {
      token: null,
    });

    expect(data.__schema.queryType.name).toBe('Query');
  });
});

test('a redirect is not followed, so that only the service gets the token', async () => {
  await using elsewhere = await startUpstream(() => ({ body: wireMessage('m1') }));
  await using upstream = await startUpstream(() => ({
    status: 307,
    headers: { location: `${elsewhere.url}/v1/messages/m1` },
  }));
  await using gateway = await startTestGateway(upstream.url);

  const read = await gateway.ask(READ);
  const written = await gateway.ask(WRITE);

  expect(codes(read)).toEqual({ message: 'UPSTREAM_ERROR' });
  expect(codes(written)).toEqual({ updateMessage: 'UPSTREAM_ERROR' });
  expect(elsewhere.calls).toEqual([]);
});
