import { describe, expect, test } from 'vitest';
import { askOnce, codes, startScripted } from '../support/gateway.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireMessage } from '../support/wire.ts';

const READ = '{ message(id: "m1") { id } }';
const WRITE =
  'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { id } } }';

describe('without a bearer token', () => {
  // security: injection
  test.each<[string, Record<string, string>]>([
    ['no header', {}],
    ['an empty header', { authorization: '' }],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['no token', { authorization: 'Bearer ' }],
    ['two tokens', { authorization: 'Bearer qq zz' }],
    ['two spaces', { authorization: 'Bearer  qq' }],
    ['a letter outside ASCII', { authorization: 'Bearer \u00fc' }],
  ])('no call is made, and fields are UNAUTHENTICATED: %s', async (_, headers) => {
    await using gateway = await startScripted({});
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
    expect(read.errors?.[0]?.message).toMatch(
      /send the header "Authorization: Bearer <ACCESS_TOKEN>"\.$/,
    );
    expect(codes(written)).toEqual({ updateMessage: 'UNAUTHENTICATED' });
    expect(gateway.service.calls).toEqual([]);
  });
});

test('the token reaches the service unchanged, whatever the case of "Bearer"', async () => {
  const token = `aZ09-._~+/=!"#$%&'()*,:;<>?@[]^{|}\``;

  const { calls } = await askOnce(
    READ,
    {},
    { token: null, headers: { authorization: `bEARER ${token}` } },
  );

  expect(calls[0]?.token).toBe(`Bearer ${token}`);
});

// security: redirect
test('a redirect is not followed, so that only the service gets the token', async () => {
  await using elsewhere = await startUpstream(answering({ body: wireMessage('m1') }));
  const location = `${elsewhere.url}/v1/messages/m1`;
  await using gateway = await startScripted(
    answering({ status: 307, headers: { location } }),
  );

  const read = await gateway.ask(READ);
  const written = await gateway.ask(WRITE);

  expect(codes(read)).toEqual({ message: 'UPSTREAM_ERROR' });
  expect(codes(written)).toEqual({ updateMessage: 'UPSTREAM_ERROR' });
  expect(elsewhere.calls).toEqual([]);
});
