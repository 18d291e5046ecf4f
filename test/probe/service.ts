import type { Answers } from '../../src/embedded/answers.ts';
import { type Call, startEmbeddedService } from '../../src/embedded/service.ts';
import type { Found } from '../../src/probe/found.ts';
import { type ProbeReport, probe } from '../../src/probe/probe.ts';
import {
  startUpstream,
  type Upstream,
  type UpstreamAnswer,
} from '../support/upstream.ts';
import { wireConversation, wireMessage, wirePage } from '../support/wire.ts';

export const TOKEN = 'ada-sample-token';

/** Probes an embedded service; returns the report, and the calls that the service received. */
export async function probeEmbedded(
  answers: Partial<Answers>,
): Promise<{ report: ProbeReport; calls: readonly Call[] }> {
  const calls: Call[] = [];
  await using service = await startEmbeddedService({
    answers,
    onCall: (call) => calls.push(call),
  });
  return { report: await probe({ url: service.url, token: TOKEN }), calls };
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
  /** Runs before each response, and may change the lists. */
  readonly before?: (call: number, lists: Lists) => void;
  /** Replaces the response to a call. */
  readonly answer?: (call: number, line: string) => UpstreamAnswer | undefined;
}

interface Lists {
  readonly messages: string[];
  readonly conversations: string[];
}

/** Starts a service that ignores every parameter it does not know, newest items first. */
export async function startLenient(options: LenientOptions = {}): Promise<Upstream> {
  const { size = 60, window = (_query, ids) => ids } = options;
  const toIds = (kind: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${kind}_${1000 + count - index}`);
  const lists = {
    messages: toIds('msg', size),
    conversations: toIds('conv', size >> 1),
  };
  let calls = 0;

  return startUpstream(({ line, token }) => {
    calls += 1;
    const answer = options.answer?.(calls, line);
    if (answer !== undefined) return answer;
    options.before?.(calls, lists);
    if (token !== `Bearer ${TOKEN}`) return { status: 401, body: { error: 'token' } };
    const { pathname, searchParams } = new URL(line.slice(4), 'http://service');
    const name = pathname.replace('/v1/', '');
    if (name !== 'messages' && name !== 'conversations') {
      return { status: 404, body: { error: 'unknown' } };
    }
    const asked = Number(searchParams.get('limit') ?? 10);
    const limit = options.pageSize ?? Math.min(asked, options.maxLimit ?? asked);
    const rest = window(searchParams, lists[name]);
    const items = rest.slice(0, limit).map((id) => toItem(name, id));
    return { body: wirePage(items, rest.length > limit) };
  });
}

/** The id of a newer item has a larger number. */
const atOf = (id: string) => 1_700_000_000 + 60 * Number(id.replace(/\D/g, ''));

const toItem = (name: keyof Lists, id: string) =>
  name === 'messages'
    ? wireMessage(id, { created_at: atOf(id) })
    : wireConversation(id, { last_active_at: atOf(id), created_at: 1_690_000_000 });
