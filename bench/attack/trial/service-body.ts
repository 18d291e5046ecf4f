import {
  wireContact,
  wireConversation,
  wireMessage,
} from '../../../test/support/wire.ts';
import type { Service } from '../case.ts';
import { createCounter, type Value, writeValue } from '../value.ts';

/** A little longer than the longest answer that the gateway reads by default. Unit: characters. */
const MAX_ANSWER = 17_500_000;
/** Values of one object. Unit: characters. */
const MAX_VALUE = 17_000_000;
/** How many answers are kept to be sent again. */
const MAX_BODIES = 20;

const write = (value: Value): string =>
  writeValue(value, { as: 'JSON', room: MAX_VALUE, next: createCounter() });

/** The body of a failure. */
export const toErrorBody = ({ errorBody }: Service): Buffer =>
  Buffer.from(write(errorBody));

/** Writes the object at an index of a list, or the one that was asked for. */
type WriteItem = (index: number, asked?: string) => string;

/** Returns a function that writes the body of a good answer: an object, or a page of them. */
export function createBodies(service: Service | null) {
  const bodies = new Map<string, Buffer>();
  const writers = new Map<string, WriteItem>();
  return (method: string, url: string): Buffer => {
    const { pathname, searchParams } = new URL(url, 'http://service');
    const [, , resource = '', id] = pathname.split('/');
    const isList = method === 'GET' && id === undefined;
    const limit = Number(searchParams.get('limit') ?? 10);
    const key = [resource, service?.ids === 'one' || id, isList && limit].join(' ');
    const known = bodies.get(key);
    if (known !== undefined) return known;
    const writeItem = writers.get(resource) ?? createItemWriter(resource, service);
    writers.set(resource, writeItem);
    const body = Buffer.from(
      isList
        ? writePage(writeItem, limit, service)
        : writeItem(0, id && decodeURIComponent(id)),
    );
    if (bodies.size < MAX_BODIES && service?.ids !== 'distinct') bodies.set(key, body);
    return body;
  };
}

function writePage(writeItem: WriteItem, limit: number, service: Service | null): string {
  const items: string[] = [];
  let room = MAX_ANSWER;
  const count = service?.items || limit;
  for (let index = 0; index < count; index += 1) {
    const item = writeItem(index);
    room -= item.length;
    if (room < 0) break;
    items.push(item);
  }
  const data = service?.oddField === 'data' ? write(service.odd) : `[${items.join()}]`;
  return `{"has_more":${service?.hasMore ?? false},"data":${data}}`;
}

/** Values are written once for all objects. */
function createItemWriter(resource: string, service: Service | null): WriteItem {
  const isMessage = resource === 'messages';
  const { id: _id, ...plain } = isMessage
    ? { ...wireMessage('x'), contact: wireContact() }
    : wireConversation('x', { pinned_message_id: 'x1' });
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(plain)) fields[name] = JSON.stringify(value);
  if (service !== null && isMessage) {
    const writing = { as: 'JSON', room: MAX_VALUE, next: createCounter() } as const;
    for (const name of ['message', 'attachments', 'reactions'] as const)
      fields[name] = writeValue(service[name], writing);
    if (service.ids !== 'one') fields.conversation_id = '"x2"';
  }
  const { oddField = '', drift = 0, ids = 'asked' } = service ?? {};
  const odd = service === null || oddField === '' ? null : write(service.odd);
  if (odd !== null && oddField !== 'data' && oddField !== 'id') fields[oddField] = odd;
  for (let index = 0; index < drift; index += 1) fields[`new_${index}`] = '1';
  const rest = Object.entries(fields)
    .map(([name, json]) => `,${JSON.stringify(name)}:${json}`)
    .join('');
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
