import type { IncomingMessage } from 'node:http';
import {
  wireContact,
  wireConversation,
  wireMessage,
} from '../../../test/support/wire.ts';
import type { Service } from '../genome/genome.ts';
import { createCounter, writeValue } from '../genome/value.ts';

/** A little longer than the longest answer that the gateway reads by default. Unit: characters. */
const MAX_ANSWER = 17_500_000;
/** Values of one object. Unit: characters. */
const MAX_VALUE = 17_000_000;
/** How many answers are kept to be sent again. */
const MAX_BODIES = 20;

/** What was written for one service, to be sent again. */
export interface Written {
  readonly bodies: Map<string, Buffer>;
  readonly writers: Map<string, WriteItem>;
}

export const nothingWritten = (): Written => ({ bodies: new Map(), writers: new Map() });

/** The body of a failure. */
export const toErrorBody = ({ errorBody }: Service): Buffer =>
  Buffer.from(
    writeValue(errorBody, { as: 'JSON', room: MAX_VALUE, next: createCounter() }),
  );

/** The body of a good answer: an object, or a page of them. */
export function toBody(
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
