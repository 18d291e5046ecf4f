import { describe, expect, test } from 'vitest';
import { startEmbeddedService } from '../../src/embedded/service.ts';
import { askOnce, codes, startScripted, startTestGateway } from '../support/gateway.ts';
import { answering, startUpstream } from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

const READ = '{ message(id: "m1") { id } }';
const WRITE =
  'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { id } } }';

describe('without a bearer token', () => {
  test.each<[string, Record<string, string>]>([
    ['no header', {}],
    ['an empty header', { authorization: '' }],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['no token', { authorization: 'Bearer ' }],
    ['two tokens', { authorization: 'Bearer qq zz' }],
    ['two spaces', { authorization: 'Bearer  qq' }],
    ['a letter outside ASCII', { authorization: 'Bearer \u00fc' }],
  ])('no call is made, and fields are UNAUTHENTICATED: %s', async (_what, headers) => {
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

/** Every caller asks for the same ids: by id, by list, by link and after a write. */
const OPERATIONS = [
  '{ message(id: "m1") { id message conversation { groupId } } }',
  '{ messages(conversationId: "c1") { nodes { message conversation { groupId } } } }',
  '{ conversations { nodes { groupId messages(first: 2) { nodes { message } } } } }',
  'mutation { updateMessage(input: { id: "m1", message: "x" }) { message { message conversation { groupId } } } }',
];

test('callers who send the same operations at the same time each get their own data', async () => {
  const tokens = Array.from({ length: 30 }, (_, index) => `token-${index}`);
  await using gateway = await startScripted(({ line, token = '' }) => {
    const object = line.includes('/v1/messages')
      ? wireMessage('m1', { message: token })
      : wireConversation('c1', { group_id: token });
    const isById = /\/[mc]1$/.test(line);
    return { body: isById ? object : wirePage([object]), delayMs: 10 };
  });

  const answers = await Promise.all(
    tokens.flatMap((token) =>
      OPERATIONS.map(async (operation) => ({
        token,
        ...(await gateway.ask(operation, { token })),
      })),
    ),
  );

  for (const { token, data, errors } of answers) {
    expect(errors).toBeUndefined();
    const seen = new Set(JSON.stringify(data).match(/Bearer token-\d+/g));
    expect(seen).toEqual(new Set([`Bearer ${token}`]));
  }
});

test('a sample user cannot read or delete the conversations that the other does not share', async () => {
  await using service = await startEmbeddedService();
  await using gateway = await startTestGateway(service.url);
  const grace = { token: 'grace-sample-token' };
  const { data } = await gateway.ask('{ conversations(first: 1) { nodes { id } } }', {
    token: 'ada-sample-token',
  });
  const [{ id }] = data.conversations.nodes;

  const read = await gateway.ask(
    `{ conversation(id: "${id}") { createdAt } messages(conversationId: "${id}") { nodes { id } } }`,
    grace,
  );
  const written = await gateway.ask(
    `mutation { deleteConversation(input: { id: "${id}" }) { deletedConversationId } }`,
    grace,
  );

  expect(read.data).toEqual({ conversation: null, messages: null });
  expect(codes(written)).toEqual({ deleteConversation: 'NOT_FOUND' });
});
