import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { wireConversation, wireMessage } from '../../../test/support/wire.ts';
import { PLAIN_SERVICE, type Service } from '../case.ts';
import { createCounter, type Value, writeValue } from '../value.ts';

/** The other caller, whose calls are always answered well. */
export const TOKEN_OF_B = 'token-of-b';
/** How long a service that hangs keeps a connection. Unit: milliseconds. */
const HANGS_FOR = 1500;
/** How many bytes are sent alone by a service that sends byte by byte, before the rest. */
const SINGLE_BYTES = 64;
const PARTS = 40;
const HEADERS: Record<Service['headers'], Record<string, string>> = {
  usual: {},
  'Retry-After': { 'retry-after': '1' },
  many: Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`x-h${index}`, 'y'.repeat(30)]),
  ),
};
/** A little longer than the longest answer that the gateway reads by default. Unit: characters. */
const MAX_ANSWER = 17_500_000;
/** Values of one object. Unit: characters. */
const MAX_VALUE = 17_000_000;
/** How many answers are kept to be sent again. */
const MAX_BODIES = 20;

/** The service behind the attacked gateway. */
export async function startAttackService() {
  const toBodyForB = createBodies(PLAIN_SERVICE);
  let service = PLAIN_SERVICE;
  let toBody = toBodyForB;
  let calls = 0;
  async function handle(request: IncomingMessage, response: ServerResponse) {
    const isOfB = request.headers.authorization === `Bearer ${TOKEN_OF_B}`;
    const current = isOfB ? PLAIN_SERVICE : service;
    if (!isOfB) calls += 1;
    const isOdd = calls % Math.max(1, current.every) === 0;
    for await (const _part of request);
    const { method = '', url = '' } = request;
    const writeBody = () => (isOfB ? toBodyForB : toBody)(method, url);
    await answer(response, isOdd ? current : { ...current, mode: 'answers' }, writeBody);
  }
  const server = createServer((request, response) => {
    // The gateway gives up calls in the middle, which is no error here.
    handle(request, response).catch(() => response.destroy());
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How calls are answered from now on. */
    behave(next: Service) {
      service = next;
      toBody = createBodies(next);
      calls = 0;
    },
    /** Since the last `behave`. */
    calls: () => calls,
  };
}

/** Answers one call. */
async function answer(
  response: ServerResponse,
  { mode, pace, status, delay, headers, errorBody }: Service,
  writeBody: () => Buffer,
): Promise<void> {
  response.on('error', () => {});
  if (delay > 0) await sleep(delay);
  if (mode === 'hangs') {
    await sleep(HANGS_FOR);
    response.destroy();
    return;
  }
  const isError = mode === 'fails' || mode === 'sends no JSON';
  const body = isError ? Buffer.from(write(errorBody)) : writeBody();
  const length = mode === 'breaks off' ? body.length + 10 : body.length;
  response.writeHead(mode === 'fails' ? Math.max(200, status) : 200, {
    'content-type': 'application/json',
    ...(pace === 'whole' && { 'content-length': length }),
    ...HEADERS[headers],
  });
  if (mode === 'breaks off') {
    response.write(body, () => response.destroy());
    return;
  }
  // The rest, after parts or single bytes, is sent at once.
  const part = pace === 'in parts' ? Math.ceil(body.length / PARTS) || 1 : 1;
  const most = { whole: 0, 'in parts': body.length, 'byte by byte': SINGLE_BYTES }[pace];
  const end = Math.min(most, body.length);
  for (let at = 0; at < end && !response.destroyed; at += part) {
    response.write(body.subarray(at, Math.min(at + part, end)));
    await sleep(1);
  }
  response.end(body.subarray(end));
}

/** Each value of a service begins to count anew. */
const write = (value: Value): string =>
  writeValue(value, { room: MAX_VALUE, next: createCounter() });

/** Writes the object at an index of a list, or the one that was asked for. */
type WriteItem = (index: number, asked?: string) => string;

/** Returns a function that writes the body of a good answer: an object, or a page of them. */
function createBodies(service: Service) {
  const bodies = new Map<string, Buffer>();
  const writers = new Map<string, WriteItem>();
  return (method: string, url: string): Buffer => {
    const { pathname, searchParams } = new URL(url, 'http://service');
    const [, , resource = '', id] = pathname.split('/');
    const isList = method === 'GET' && id === undefined;
    const limit = Number(searchParams.get('limit') ?? 10);
    const key = [resource, service.ids === 'one' || id, isList && limit].join(' ');
    const known = bodies.get(key);
    if (known !== undefined) return known;
    const writeItem = writers.get(resource) ?? createItemWriter(resource, service);
    writers.set(resource, writeItem);
    const body = Buffer.from(
      isList
        ? writePage(writeItem, limit, service)
        : writeItem(0, id && decodeURIComponent(id)),
    );
    if (bodies.size < MAX_BODIES && service.ids !== 'distinct') bodies.set(key, body);
    return body;
  };
}

function writePage(writeItem: WriteItem, limit: number, service: Service): string {
  const items: string[] = [];
  let room = MAX_ANSWER;
  for (let index = 0; index < (service.items || limit); index += 1) {
    const item = writeItem(index);
    room -= item.length;
    if (room < 0) break;
    items.push(item);
  }
  const data = service.oddField === 'data' ? write(service.odd) : `[${items.join()}]`;
  return `{"has_more":${service.hasMore},"data":${data}}`;
}

/** Values are written once for all objects. */
function createItemWriter(resource: string, service: Service): WriteItem {
  const { oddField, drift, ids, message, attachments, reactions } = service;
  const isMessage = resource === 'messages';
  const { id: _id, ...plain } = isMessage
    ? wireMessage('x', { conversation_id: ids === 'one' ? 'c1' : 'x2' })
    : wireConversation('x', { pinned_message_id: 'x1' });
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries(plain))
    fields.set(name, JSON.stringify(value));
  if (isMessage) {
    const writing = { room: MAX_VALUE, next: createCounter() };
    for (const [name, value] of Object.entries({ message, attachments, reactions }))
      fields.set(name, writeValue(value, writing));
  }
  const odd = write(service.odd);
  if (!['', 'data', 'id'].includes(oddField)) fields.set(oddField, odd);
  for (let index = 0; index < drift; index += 1) fields.set(`new_${index}`, '1');
  const rest = [...fields].map(([name, json]) => `,"${name}":${json}`).join('');
  const next = createCounter();
  const toId = (index: number, asked: string | undefined): string => {
    if (ids === 'one') return 'x1';
    return ids === 'distinct' ? `y${next()}` : (asked ?? `x${index}`);
  };
  return (index, asked) => {
    const id = oddField === 'id' ? odd : JSON.stringify(toId(index, asked));
    return `{"id":${id}${rest}}`;
  };
}
