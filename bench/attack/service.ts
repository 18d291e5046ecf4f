import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { wireContact, wireConversation, wireMessage } from '../../test/support/wire.ts';
import type { Service } from './genome.ts';
import { createCounter, writeValue } from './value.ts';

/** The service behind the attacked gateway. */
export interface AttackService extends AsyncDisposable {
  readonly url: string;
  /** How calls are answered from now on; null: well. */
  behave(service: Service | null): void;
  /** Since the last `behave`. */
  calls(): { count: number; bytesReceived: number; bytesSent: number };
}

/** A little longer than the longest answer that the gateway reads by default. Unit: characters. */
const MAX_ANSWER = 17_500_000;
/** Values of one object. Unit: characters. */
const MAX_VALUE = 17_000_000;
/** How long a service that hangs keeps a connection. Unit: milliseconds. */
const HANGS_FOR = 1500;
/** How many bytes are sent alone by a service that sends byte by byte, before the rest. */
const SINGLE_BYTES = 64;
const PARTS = 40;
/** How many answers are kept to be sent again. */
const MAX_BODIES = 20;

export async function startAttackService(): Promise<AttackService> {
  let service: Service | null = null;
  let written = nothingWritten();
  let calls = { count: 0, bytesReceived: 0, bytesSent: 0 };
  const server = createServer(async (request, response) => {
    const current = service;
    const counted = calls;
    const writtenNow = written;
    counted.count += 1;
    const isOdd = counted.count % (current?.every ?? 1) === 0;
    for await (const chunk of request) counted.bytesReceived += chunk.length;
    const writeBody = () => toBody(request, current, writtenNow);
    counted.bytesSent += await answer(
      response,
      isOdd ? current : withoutTrouble(current),
      writeBody,
    );
  });
  // The gateway leaves in the middle of answers, which is no error here.
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behave(next) {
      service = next;
      written = nothingWritten();
      calls = { count: 0, bytesReceived: 0, bytesSent: 0 };
    },
    calls: () => calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What was written for one service, to be sent again. */
interface Written {
  readonly bodies: Map<string, Buffer>;
  readonly writers: Map<string, WriteItem>;
}

const nothingWritten = (): Written => ({ bodies: new Map(), writers: new Map() });

const withoutTrouble = (service: Service | null): Service | null =>
  service && { ...service, mode: 'answers' };

/** Answers one call; returns how many bytes it sent. */
async function answer(
  response: ServerResponse,
  service: Service | null,
  writeBody: () => Buffer,
): Promise<number> {
  response.on('error', () => {});
  if (service === null) return send(response, 200, {}, writeBody());
  if (service.delay > 0) await sleep(service.delay);
  const { mode, status } = service;
  if (mode === 'hangs') {
    await sleep(HANGS_FOR);
    response.destroy();
    return 0;
  }
  const body =
    mode === 'fails' || mode === 'sends no JSON' ? toErrorBody(service) : writeBody();
  const headers = { 'content-type': 'application/json', ...toHeaders(service) };
  if (mode === 'breaks off') {
    response.writeHead(200, { ...headers, 'content-length': body.length + 10 });
    response.write(body, () => response.destroy());
    return body.length;
  }
  const code = mode === 'fails' ? Math.max(200, status) : 200;
  if (service.pace === 'whole') return send(response, code, headers, body);
  return sendSlowly(response, code, headers, body, service.pace);
}

function send(
  response: ServerResponse,
  status: number,
  headers: Record<string, string | string[]>,
  body: Buffer,
): number {
  response.writeHead(status, { ...headers, 'content-length': body.length });
  response.end(body);
  return body.length;
}

async function sendSlowly(
  response: ServerResponse,
  status: number,
  headers: Record<string, string | string[]>,
  body: Buffer,
  pace: 'in parts' | 'byte by byte',
): Promise<number> {
  response.writeHead(status, headers);
  const size = pace === 'in parts' ? Math.ceil(body.length / PARTS) || 1 : 1;
  const end = pace === 'in parts' ? body.length : Math.min(SINGLE_BYTES, body.length);
  for (let at = 0; at < end && !response.destroyed; at += size) {
    response.write(body.subarray(at, Math.min(at + size, end)));
    await sleep(1);
  }
  response.end(body.subarray(end));
  return body.length;
}

function toHeaders({ headers }: Service): Record<string, string | string[]> {
  if (headers === 'Retry-After') return { 'retry-after': '1' };
  if (headers === 'usual') return {};
  return Object.fromEntries(
    Array.from({ length: 300 }, (_, i) => [`x-h${i}`, 'y'.repeat(30)]),
  );
}

const toErrorBody = ({ errorBody }: Service): Buffer =>
  Buffer.from(
    writeValue(errorBody, { as: 'JSON', room: MAX_VALUE, next: createCounter() }),
  );

/** The body of a good answer: an object, or a page of them. */
function toBody(
  { method = '', url = '' }: IncomingMessage,
  service: Service | null,
  { bodies, writers }: Written,
): Buffer {
  const { pathname, searchParams } = new URL(url, 'http://service');
  const [, , resource = '', id] = pathname.split('/');
  const isList = method === 'GET' && id === undefined;
  const limit = Number(searchParams.get('limit') ?? 10);
  const key = [resource, service?.ids === 'one' || id, isList && limit].join(' ');
  const known = bodies.get(key);
  if (known !== undefined) return known;
  const write = writers.get(resource) ?? createItemWriter(resource, service);
  writers.set(resource, write);
  const body = Buffer.from(
    isList ? writePage(write, limit, service) : write(0, id && decodeURIComponent(id)),
  );
  if (bodies.size < MAX_BODIES && service?.ids !== 'distinct') bodies.set(key, body);
  return body;
}

type WriteItem = (index: number, id?: string) => string;

function writePage(write: WriteItem, limit: number, service: Service | null): string {
  const items: string[] = [];
  let room = MAX_ANSWER;
  const count = service?.items || limit;
  for (let index = 0; index < count; index += 1) {
    const item = write(index);
    room -= item.length;
    if (room < 0) break;
    items.push(item);
  }
  const data = service?.oddField === 'data' ? writeOdd(service) : `[${items.join()}]`;
  return `{"has_more":${service?.hasMore ?? false},"data":${data}}`;
}

const writeOdd = ({ odd }: Service): string =>
  writeValue(odd, { as: 'JSON', room: MAX_VALUE, next: createCounter() });

/** Returns a function that writes the objects of a resource. Their values are written once. */
function createItemWriter(resource: string, service: Service | null): WriteItem {
  const isMessage = resource === 'messages';
  const whole = isMessage
    ? wireMessage('x')
    : wireConversation('x', { pinned_message_id: 'x1' });
  const fields = new Map(
    Object.entries({ ...whole, contact: wireContact() }).map(([name, value]) => [
      name,
      JSON.stringify(value),
    ]),
  );
  if (!isMessage) fields.delete('contact');
  if (service !== null) setFields(fields, service, isMessage);
  fields.delete('id');
  const rest = [...fields]
    .map(([name, json]) => `,${JSON.stringify(name)}:${json}`)
    .join('');
  const oddId = service?.oddField === 'id' ? writeOdd(service) : null;
  const next = createCounter();
  const toId = (index: number, asked: string | undefined): string => {
    if (service?.ids === 'one') return 'x1';
    return service?.ids === 'distinct' ? `y${next()}` : (asked ?? `x${index}`);
  };
  return (index, asked) => `{"id":${oddId ?? JSON.stringify(toId(index, asked))}${rest}}`;
}

function setFields(
  fields: Map<string, string>,
  service: Service,
  isMessage: boolean,
): void {
  const writing = { as: 'JSON', room: MAX_VALUE, next: createCounter() } as const;
  if (isMessage) {
    fields.set('message', writeValue(service.message, writing));
    fields.set('attachments', writeValue(service.attachments, writing));
    fields.set('reactions', writeValue(service.reactions, writing));
    if (service.ids !== 'one') fields.set('conversation_id', '"x2"');
  }
  if (service.oddField !== '' && service.oddField !== 'data') {
    fields.set(service.oddField, writeOdd(service));
  }
  for (let index = 0; index < service.drift; index += 1) fields.set(`new_${index}`, '1');
}
