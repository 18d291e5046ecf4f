import { PassThrough } from 'node:stream';
import { expect } from 'vitest';
import { startCheckCommand, startProbeCommand } from '../../src/probe/command.ts';
import type { Found } from '../../src/probe/found.ts';
import type { ProbeReport } from '../../src/probe/probe.ts';
import { startTestGateway } from '../support/gateway.ts';
import {
  startUpstream,
  type Upstream,
  type UpstreamAnswer,
} from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

export const TOKEN = 'ada-sample-token';

interface RunOptions {
  readonly words?: readonly string[];
  readonly env?: Record<string, string>;
  /** What the user types. Default: there is no terminal. */
  readonly typed?: string | undefined;
}

/** The status of a command, its report and its progress. */
export interface Ran {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in this process, as a user does. */
async function run(
  start: typeof startProbeCommand,
  { words = [], env = {}, typed }: RunOptions,
) {
  const rawModes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), {
    isTTY: typed !== undefined,
    setRawMode: (isRaw: boolean) => rawModes.push(isRaw),
  });
  if (typed !== undefined) stdin.write(typed);
  const stdout = new PassThrough({ highWaterMark: 1 << 20 });
  const stderr = new PassThrough({ highWaterMark: 1 << 20 });
  const streams = { stdin, stdout, stderr };
  const status = await start(words, { MESSAGING_TOKEN: TOKEN, ...env }, streams);
  const read = (stream: PassThrough) => String(stream.read() ?? '');
  return { status, out: read(stdout), err: read(stderr), rawModes };
}

export const runProbe = (
  words: readonly string[],
  options: Omit<RunOptions, 'words'> = {},
) => run(startProbeCommand, { words, ...options });

export const runCheck = (
  env: Record<string, string>,
  options: Omit<RunOptions, 'env'> = {},
) => run(startCheckCommand, { env, ...options });

/** The whole report about a service that can be probed. */
export async function probeAt(url: string): Promise<ProbeReport> {
  return JSON.parse((await runProbe([url, '--json'])).out);
}

/** One finding does not fit: in these words, and with this change. */
export function expectMisfit({ status, out }: Ran, words: string, change: string): void {
  expect(out).toContain(`does not fit: ${words}`);
  expect(out).toMatch(/\n {10}To change: /);
  expect(out.split('To change: ').slice(1).join()).toContain(change);
  expect(out.trimEnd().split('\n').at(-1)).toBe('Something does not fit.');
  expect(out).not.toContain(TOKEN);
  expect(status).toBe(1);
}

/** Whether a gateway with these settings reads both lists to their ends, or `most` items, in pages of `size`. */
export async function readsToEnd(
  { MESSAGING_URL: url = '', ...env }: Readonly<Record<string, string>>,
  size: number,
  most: number,
): Promise<boolean> {
  const bounds = { MAX_CALLS_PER_LIST: '1000', MAX_REST_CALLS: '10000' };
  await using gateway = await startTestGateway(url, { ...env, ...bounds });
  const read = async (
    list: string,
    after: string | null,
    left = most,
  ): Promise<boolean> => {
    const query = `{ ${list}(first: ${size}, after: ${JSON.stringify(after)}) { pageInfo { hasNextPage endCursor } } }`;
    const { data, errors } = await gateway.ask(query, { token: TOKEN });
    if (errors !== undefined) return false;
    const { hasNextPage, endCursor } = data[list].pageInfo;
    return !hasNextPage || left <= size || read(list, endCursor, left - size);
  };
  return (await read('messages', null)) && (await read('conversations', null));
}

/** How a check should end. `fits`: whether nothing is out of the gateway's reach. */
export function verdict(out: string, fits: boolean): string {
  if (!fits) return '\nSomething does not fit.\n';
  const isOpen = out.includes('with "limit" alone');
  return isOpen ? '\nNothing was found that does not fit.\n' : '\nAll fits.\n';
}

/** The report about one open point. */
export function pointOf<T = Readonly<Record<string, unknown>>>(
  { points }: ProbeReport,
  number: number,
): Found<T> {
  const found = points.find((point) => point.number === number);
  if (found === undefined) throw new Error(`the report has no point ${number}`);
  return found as Found<T>;
}

/** The part of a list that a query selects, before `limit` cuts it. */
export type Window = (
  query: URLSearchParams,
  ids: readonly string[],
) => readonly string[];

export interface LenientOptions {
  /** Number of messages, default 60. There are half as many conversations. */
  readonly size?: number;
  /** Default: the whole list. */
  readonly window?: Window;
  /** Length of every page, whatever `limit` says. */
  readonly pageSize?: number;
  readonly maxLimit?: number;
  /** Runs before each response, and may change the messages. */
  readonly before?: (call: number, messages: string[]) => void;
  /** Replaces the response to a call. */
  readonly answer?: (call: number, line: string) => UpstreamAnswer | undefined;
}

/** Starts a service that ignores every parameter it does not know, newest items first. */
export async function startLenient(options: LenientOptions = {}): Promise<Upstream> {
  const { size = 60, window = (_query, ids) => ids } = options;
  const toIds = (kind: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${kind}_${1000 + count - index}`);
  const lists: Record<string, string[]> = {
    '/v1/messages': toIds('msg', size),
    '/v1/conversations': toIds('conv', size >> 1),
  };
  let calls = 0;

  return startUpstream(({ line, token }) => {
    calls += 1;
    const answer = options.answer?.(calls, line);
    if (answer !== undefined) return answer;
    options.before?.(calls, lists['/v1/messages'] ?? []);
    if (token !== `Bearer ${TOKEN}`) return { status: 401, body: { error: 'token' } };
    const { pathname, searchParams } = new URL(line.slice(4), 'http://service');
    const ids = lists[pathname];
    if (ids === undefined) return { status: 404, body: { error: 'unknown' } };
    const asked = Number(searchParams.get('limit') ?? 10);
    const limit = options.pageSize ?? Math.min(asked, options.maxLimit ?? asked);
    const rest = window(searchParams, ids);
    return { body: wirePage(rest.slice(0, limit).map(toItem), rest.length > limit) };
  });
}

/** The id of a newer item has a larger number. */
function toItem(id: string) {
  const at = 1_700_000_000 + 60 * Number(id.replace(/\D/g, ''));
  return id.startsWith('msg')
    ? wireMessage(id, { created_at: at })
    : wireConversation(id, { last_active_at: at, created_at: 1_690_000_000 });
}

export async function probeLenient(options: LenientOptions = {}) {
  await using service = await startLenient(options);
  const report = await probeAt(service.url);
  expect(report.calls).toBe(service.calls.length);
  expect(report.calls).toBeLessThanOrEqual(60);
  return { report, paging: pointOf(report, 8) };
}
