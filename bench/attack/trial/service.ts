import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../genome/genome.ts';
import { createBodies, toErrorBody } from './service-body.ts';

/** The service behind the attacked gateway. */
export interface AttackService extends AsyncDisposable {
  readonly url: string;
  /** How calls are answered from now on; null: well. */
  behave(service: Service | null): void;
  /** Since the last `behave`. */
  calls(): number;
}

/** The other caller, whose calls are always answered well. */
export const TOKEN_OF_B = 'token-of-b';
/** How long a service that hangs keeps a connection. Unit: milliseconds. */
const HANGS_FOR = 1500;
/** How many bytes are sent alone by a service that sends byte by byte, before the rest. */
const SINGLE_BYTES = 64;
const PARTS = 40;

export async function startAttackService(): Promise<AttackService> {
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
    behave(next) {
      service = next;
      toBody = createBodies(next);
      calls = 0;
    },
    calls: () => calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers one call. */
async function answer(
  response: ServerResponse,
  service: Service | null,
  writeBody: () => Buffer,
): Promise<void> {
  response.on('error', () => {});
  if (service === null) return send(response, 200, {}, writeBody());
  if (service.delay > 0) await sleep(service.delay);
  const { mode, status } = service;
  if (mode === 'hangs') {
    await sleep(HANGS_FOR);
    response.destroy();
    return;
  }
  const body =
    mode === 'fails' || mode === 'sends no JSON' ? toErrorBody(service) : writeBody();
  const headers = { 'content-type': 'application/json', ...toHeaders(service) };
  if (mode === 'breaks off') {
    response.writeHead(200, { ...headers, 'content-length': body.length + 10 });
    response.write(body, () => response.destroy());
    return;
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
): void {
  response.writeHead(status, { ...headers, 'content-length': body.length });
  response.end(body);
}

async function sendSlowly(
  response: ServerResponse,
  status: number,
  headers: Record<string, string | string[]>,
  body: Buffer,
  pace: 'in parts' | 'byte by byte',
): Promise<void> {
  response.writeHead(status, headers);
  const size = pace === 'in parts' ? Math.ceil(body.length / PARTS) || 1 : 1;
  const end = pace === 'in parts' ? body.length : Math.min(SINGLE_BYTES, body.length);
  for (let at = 0; at < end && !response.destroyed; at += size) {
    response.write(body.subarray(at, Math.min(at + size, end)));
    await sleep(1);
  }
  response.end(body.subarray(end));
}

function toHeaders({ headers }: Service): Record<string, string | string[]> {
  if (headers === 'Retry-After') return { 'retry-after': '1' };
  if (headers === 'usual') return {};
  return Object.fromEntries(
    Array.from({ length: 300 }, (_, i) => [`x-h${i}`, 'y'.repeat(30)]),
  );
}
