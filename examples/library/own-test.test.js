// A test of your own code against the embedded service, which needs no network: `node --test examples/library/own-test.test.js`.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createGateway, startEmbeddedService } from 'messaging-graphql';

/** The code to test: how many conversations a user has pinned. */
async function countPinned(gateway, token) {
  const { data, errors } = await gateway.execute({
    query: '{ conversations(first: 100, pinned: true) { nodes { id } } }',
    token,
  });
  if (errors) throw new Error(errors[0].message);
  return data.conversations.nodes.length;
}

let service;
let gateway;
let token;
const calls = [];

before(async () => {
  service = await startEmbeddedService({
    // How the service answers what its interface leaves open; `onCall` sees every request.
    answers: { order: 'oldest', maxLimit: 100 },
    onCall: ({ method, url, status }) => calls.push(`${status} ${method} ${url}`),
  });
  token = service.sampleUsers[0].token;
  gateway = await createGateway({ messagingUrl: service.url, logLevel: 'silent' });
});

after(async () => {
  await gateway.close();
  await service.close();
});

test('counts the pinned conversations with one call', async () => {
  assert.ok((await countPinned(gateway, token)) > 0);
  assert.deepEqual(calls, ['200 GET /v1/conversations?pinned=true&limit=100']);
});

test('fails with a reason if the token is not valid', async () => {
  await assert.rejects(countPinned(gateway, 'nobody'), /401|token/i);
});
