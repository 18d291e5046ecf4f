import { expect, test } from 'vitest';
import type { ListBody } from '../../src/embedded/paging.ts';
import type { Conversation, Message } from '../../src/embedded/resources.ts';
import { GRACE, startTestService } from './service.ts';

type Service = Awaited<ReturnType<typeof startTestService>>;

/** The sample conversation between the sample users. */
const SHARED = 'conv_ada_grace';
const SHARED_PATH = `/v1/conversations/${SHARED}`;
const MESSAGES = `GET /v1/messages?conversation_id=${SHARED}&limit=1000`;

const list = async <T>(service: Service, line: string, options = {}): Promise<T[]> =>
  (await service.ask<ListBody<T>>(line, undefined, options)).body.data;

const send = async (service: Service, text: string, options = {}): Promise<Message> => {
  const form = `conversation_id=${SHARED}&message=${text}`;
  return (await service.ask<Message>('POST /v1/messages', form, options)).body;
};

const read = async (service: Service, options = {}): Promise<Conversation> =>
  (await service.ask<Conversation>(`GET ${SHARED_PATH}`, undefined, options)).body;

test('what one writes, edits or reacts to is there for the other at once', async () => {
  await using service = await startTestService();

  const { id } = await send(service, 'ping');
  const answer = await send(service, 'pong', GRACE);
  await service.ask(`PUT /v1/messages/${id}`, 'reactions[heart][]=grace', GRACE);
  await service.ask(`PUT /v1/messages/${id}`, 'message=changed');

  const newest = await list<Message>(service, MESSAGES);
  expect(newest.slice(0, 2)).toMatchObject([
    answer,
    { id, message: 'changed', reactions: [{ heart: ['grace'] }] },
  ]);
  expect(newest.slice(0, 2).map(({ contact }) => contact.username)).toEqual([
    'grace',
    'ada',
  ]);
  expect(await list<Message>(service, MESSAGES, GRACE)).toEqual(newest);
  const one = await service.ask(`GET /v1/messages/${id}`, undefined, GRACE);
  expect(one).toMatchObject({ status: 200, body: newest[1] });
});

test('what is sent is the last activity for both, who have one another as contacts', async () => {
  await using service = await startTestService();
  const { contact: ada } = await send(service, 'ping');
  const { contact: grace, created_at } = await send(service, 'pong', GRACE);

  for (const [options, contact] of [
    [{}, grace],
    [GRACE, ada],
  ] as const) {
    const [first] = await list<Conversation>(service, 'GET /v1/conversations', options);
    expect(first).toMatchObject({
      id: SHARED,
      last_active_at: created_at,
      contact_id: contact.id,
    });
  }
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

test('a conversation that one creates is there for those whom it is with', async () => {
  await using service = await startTestService();
  const { contact: ada } = await send(service, 'ping');
  const { contact: grace } = await send(service, 'pong', GRACE);
  const create = async (form: string) => {
    const made = await service.ask<Conversation>('POST /v1/conversations', form);
    const path = `GET /v1/conversations/${made.body.id}`;
    const seen = await service.ask<Conversation>(path, undefined, GRACE);
    return { made: made.body, seen: seen.status === 404 ? null : seen.body };
  };

  const both = await create(`contact_id=${grace.id}`);
  expect(both.seen).toEqual({ ...both.made, contact_id: ada.id });
  const group = await create('group_id=group_choir');
  expect(group.seen).toEqual(group.made);
  expect((await create('group_id=group_lisbon_trip')).seen).toBeNull();
  expect((await create('contact_id=contact_x')).seen).toBeNull();
  expect((await create(`contact_id=${ada.id}`)).seen).toBeNull();
});

test('a conversation that one deletes is gone for both, with its messages', async () => {
  await using service = await startTestService();
  const { id } = await send(service, 'ping');
  const all = 'GET /v1/messages?limit=10000';
  const before = await list<Message>(service, all);

  const deleted = await service.ask(`DELETE ${SHARED_PATH}`, undefined, GRACE);

  expect(deleted).toMatchObject({ status: 200, body: { deleted: true } });
  expect(await list(service, all)).toEqual(
    before.filter(({ conversation_id }) => conversation_id !== SHARED),
  );
  for (const options of [{}, GRACE]) {
    const gone = [`GET ${SHARED_PATH}`, `GET /v1/messages/${id}`, MESSAGES];
    for (const line of gone) {
      expect((await service.ask(line, undefined, options)).status).toBe(404);
    }
  }
});
