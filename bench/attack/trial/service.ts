import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PLAIN_SERVICE, type Service } from '../case.ts';
import { createBodies, toErrorBody } from './service-body.ts';

/** The other caller, whose calls are always answered well. */
export const TOKEN_OF_B = 'token-of-b';
/** How long a service that hangs keeps a connection. Unit: milliseconds. */
const HANGS_FOR = 1500;
/** How many bytes are sent alone by a service that sends byte by byte, before the rest. */
const SINGLE_BYTES = 64;
const PARTS = 40;

/** The service behind the attacked gateway. */
export async function startAttackService() {
  let service: Service | null = null;
  let toBody = createBodies(null);
  const toBodyForB = toBody;
  let calls = 0;
  async function handle(request: IncomingMessage, response: ServerResponse) {
    const isOfB = request.headers.authorization === `Bearer ${TOKEN_OF_B}`;
    const current = isOfB ? null : service;
    if (!isOfB) calls += 1;
    const isOdd = calls % Math.max(1, current?.every ?? 1) === 0;
    for await (const _part of request);
    const { method = '', url = '' } = request;
    const writeBody = () => (isOfB ? toBodyForB : toBody)(method, url);
    const acting =
      isOdd || current === null ? current : ({ ...current, mode: 'answers' } as const);
    await answer(response, acting, writeBody);
  }
  const server = createServer((request, response) => {
    // The gateway gives up calls in the middle, which is no error here.
    handle(request, response).catch(() => response.destroy());
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How calls are answered from now on; null: well. */
    behave(next: Service | null) {
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
  service: Service | null,
  writeBody: () => Buffer,
): Promise<void> {
  response.on('error', () => {});
  const { mode, pace, status, delay, headers } = service ?? PLAIN_SERVICE;
  if (delay > 0) await sleep(delay);
  if (mode === 'hangs') {
    await sleep(HANGS_FOR);
    response.destroy();
    return;
  }
  const isOwn = service !== null && (mode === 'fails' || mode === 'sends no JSON');
  const body = isOwn ? toErrorBody(service) : writeBody();
  const size = mode === 'breaks off' ? body.length + 10 : body.length;
  response.writeHead(mode === 'fails' ? Math.max(200, status) : 200, {
    'content-type': 'application/json',
    ...(pace === 'whole' && { 'content-length': size }),
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

const HEADERS: Record<Service['headers'], Record<string, string>> = {
  usual: {},
  'Retry-After': { 'retry-after': '1' },
  many: Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`x-h${index}`, 'y'.repeat(30)]),
  ),
};
