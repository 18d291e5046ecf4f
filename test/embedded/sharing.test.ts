import { expect, test } from 'vitest';
import type { Page } from '../../src/embedded/paging.ts';
import type { Conversation, Message } from '../../src/embedded/resources.ts';
import { GRACE, LISBON, startTestService } from './service.ts';

type Service = Awaited<ReturnType<typeof startTestService>>;

/** The sample conversation between the sample users. */
const SHARED = 'conv_ada_grace';
const SHARED_PATH = `/v1/conversations/${SHARED}`;
const MESSAGES = `GET /v1/messages?conversation_id=${SHARED}&limit=1000`;
const CHOIR = 'GET /v1/conversations?group_id=group_choir&limit=1000';

const list = async <T>(service: Service, line: string, options = {}): Promise<T[]> =>
  (await service.ask<Page<T>>(line, undefined, options)).body.data;

const send = async (service: Service, text: string, options = {}): Promise<Message> => {
  const form = `conversation_id=${SHARED}&message=${text}`;
  return (await service.ask<Message>('POST /v1/messages', form, options)).body;
};

const read = async (service: Service, options = {}): Promise<Conversation> =>
  (await service.ask<Conversation>(`GET ${SHARED_PATH}`, undefined, options)).body;

test('grace sees at once what ada writes, and ada what grace writes', async () => {
  await using service = await startTestService();

  const sent = await send(service, 'ping');
  const seen = await list<Message>(service, MESSAGES, GRACE);
  const answer = await send(service, 'pong', GRACE);
  const newest = await list<Message>(service, MESSAGES);

  expect(seen[0]).toEqual(sent);
  expect(seen.length).toBeGreaterThan(1);
  expect(newest.slice(0, 2)).toEqual([answer, sent]);
  expect(newest.map(({ contact }) => contact.username).slice(0, 2)).toEqual([
    'grace',
    'ada',
  ]);
  expect(
    await service.ask(`GET /v1/messages/${sent.id}`, undefined, GRACE),
  ).toMatchObject({ status: 200, body: sent });
});

test('what is sent is the last activity for both, and moves the conversation up for both', async () => {
  await using service = await startTestService();

  const { created_at } = await send(service, 'ping');

  for (const options of [{}, GRACE]) {
    const [first] = await list<Conversation>(service, 'GET /v1/conversations', options);
    expect(first).toMatchObject({ id: SHARED, last_active_at: created_at });
  }
});

test('each of them has the other as the contact', async () => {
  await using service = await startTestService();
  const ofAda = await send(service, 'ping');
  const ofGrace = await send(service, 'pong', GRACE);

  expect((await read(service)).contact_id).toBe(ofGrace.contact.id);
  expect((await read(service, GRACE)).contact_id).toBe(ofAda.contact.id);
});

test('an edit, and a reaction, of one are there for the other', async () => {
  await using service = await startTestService();
  const { id } = await send(service, 'ping');

  await service.ask(`PUT /v1/messages/${id}`, 'reactions[heart][]=grace', GRACE);
  await service.ask(`PUT /v1/messages/${id}`, 'message=changed');

  const [newest] = await list<Message>(service, MESSAGES, GRACE);
  expect(newest).toMatchObject({
    id,
    message: 'changed',
    reactions: [{ heart: ['grace'] }],
  });
  expect(await list(service, MESSAGES)).toEqual(await list(service, MESSAGES, GRACE));
});

test('a message that one deletes is gone for both, and no longer pinned for either', async () => {
  await using service = await startTestService();
  const { id } = await send(service, 'ping');
  await service.ask(`PUT ${SHARED_PATH}`, `pinned_message_id=${id}`, GRACE);
  expect((await read(service)).pinned_message_id).toBe(id);

  await service.ask(`DELETE /v1/messages/${id}`);

  for (const options of [{}, GRACE]) {
    expect((await service.ask(`GET /v1/messages/${id}`, undefined, options)).status).toBe(
      404,
    );
    expect((await read(service, options)).pinned_message_id).toBeNull();
  }
});

test('whether it is pinned, muted or archived is up to each', async () => {
  await using service = await startTestService();
  const before = await read(service, GRACE);

  const form = `is_pinned=${!before.is_pinned}&is_muted=${!before.is_muted}&archived_at=1772357400`;
  await service.ask(`PUT ${SHARED_PATH}`, form);

  expect(await read(service, GRACE)).toEqual(before);
  expect((await read(service)).is_muted).toBe(!before.is_muted);
});

test('a conversation that one creates with the other is there for both', async () => {
  await using service = await startTestService();
  const { contact: ada } = await send(service, 'ping');
  const { contact: grace } = await send(service, 'pong', GRACE);

  const { body } = await service.ask<Conversation>(
    'POST /v1/conversations',
    `contact_id=${grace.id}`,
  );

  const seen = await service.ask(`GET /v1/conversations/${body.id}`, undefined, GRACE);
  expect(body.contact_id).toBe(grace.id);
  expect(seen.body).toEqual({ ...body, contact_id: ada.id });
});

test('a conversation with a group is there for those who are in the group', async () => {
  await using service = await startTestService();

  const shared = await service.ask<Conversation>(
    'POST /v1/conversations',
    'group_id=group_choir',
  );
  const own = await service.ask<Conversation>(
    'POST /v1/conversations',
    'group_id=group_lisbon_trip',
  );

  const ofGrace = await list<Conversation>(
    service,
    'GET /v1/conversations?limit=1000',
    GRACE,
  );
  expect(ofGrace).toContainEqual(shared.body);
  expect(ofGrace.map(({ id }) => id)).not.toContain(own.body.id);
});

test.each([
  ['contact_id=contact_x', 'somebody else'],
  ['contact_id=OWN', 'herself'],
])('a conversation created with %s is not there for grace', async (form) => {
  await using service = await startTestService();
  const { contact: ada } = await send(service, 'ping');

  const { status, body } = await service.ask<Conversation>(
    'POST /v1/conversations',
    form.replace('OWN', ada.id),
  );

  const seen = await service.ask(`GET /v1/conversations/${body.id}`, undefined, GRACE);
  expect([status, seen.status]).toEqual([200, 404]);
});

test('a conversation that one deletes is gone for both, with its messages', async () => {
  await using service = await startTestService();
  const { id } = await send(service, 'ping');

  const { status } = await service.ask(`DELETE ${SHARED_PATH}`, undefined, GRACE);

  expect(status).toBe(200);
  for (const options of [{}, GRACE]) {
    const gone = [`GET ${SHARED_PATH}`, `GET /v1/messages/${id}`, MESSAGES];
    for (const line of gone) {
      expect((await service.ask(line, undefined, options)).status).toBe(404);
    }
  }
  expect((await service.ask(`GET /v1/conversations/${LISBON}`)).status).toBe(200);
});

test('the choir has the same messages for both', async () => {
  await using service = await startTestService();
  const [ofAda] = await list<Conversation>(service, CHOIR);
  const [ofGrace] = await list<Conversation>(service, CHOIR, GRACE);

  const line = `GET /v1/messages?conversation_id=${ofAda?.id}&limit=1000`;
  const messages = await list<Message>(service, line);

  expect(ofGrace?.id).toBe(ofAda?.id);
  expect(messages.length).toBeGreaterThan(0);
  expect(await list<Message>(service, line, GRACE)).toEqual(messages);
});
