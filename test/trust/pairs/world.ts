import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { post as sendPost } from '../../support/http.ts';
import { named, sha256 } from '../../support/persisted.ts';
import { type Rig, startService } from './rig.ts';
import type { Sent } from './session.ts';

export interface Request {
  readonly id: string;
  /** Null: the request has none. */
  readonly token: string | null;
  readonly way: Sent['way'];
  readonly query: string;
  /** Whether the gateway was sent the document with its hash before, so that the hash alone is enough. */
  readonly isRegistered: boolean;
  readonly operationName: string;
  readonly variables: Record<string, unknown>;
}

/** What one request came to. */
export interface Outcome {
  /** The answer, byte by byte; over HTTP, its status and type before it. */
  readonly answer: string;
  /** Sorted, because an operation makes several at once. */
  readonly reads: readonly string[];
  /** With their forms, in the order in which they arrived. */
  readonly writes: readonly string[];
}

/** A gateway with a service of its own. */
export async function openWorld(rig: Rig) {
  const service = await startService(rig);
  const gateway = await startTestGateway(service.url, settingsFor(rig));
  if (rig.isLearned) await letLearn(gateway);
  return {
    gateway,
    service,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await service[Symbol.asyncDispose]();
    },
  };
}

type World = Awaited<ReturnType<typeof openWorld>>;

/** A retry waits, so the calls that fail for A would make the test slow. */
const settingsFor = ({
  paging,
  isLearned,
  cap,
  capsAAlone,
}: Rig): Record<string, string> => ({
  REST_RETRIES: '0',
  LIVE: 'false',
  METRICS: 'false',
  ...(isLearned ? {} : { PAGING: paging, TIMESTAMP_UNIT: 'seconds' }),
  ...(isLearned || cap === null || capsAAlone ? {} : { MAX_LIMIT: `${cap.limit}` }),
});

/** The sizes of all long pages that requests ask for. */
const LONG_PAGES = [100, 70, 60, 25];

/**
 * Meets everything that holds for all callers, so that A has nothing left to find out for B. Several callers do so,
 * because what one of them met need not hold for others.
 */
async function letLearn({ execute }: TestGateway): Promise<void> {
  for (const token of ['w1', 'w2', 'w3']) {
    for (const field of ['messages', 'conversations']) {
      const ask = async (size: number, after: string | null): Promise<string | null> => {
        const query = `query ($after: String) { list: ${field}(first: ${size}, after: $after) {
          pageInfo { endCursor } nodes { createdAtIso } } }`;
        const { data } = await execute({ token, query, variables: { after } });
        return (data?.list as Listed | null)?.pageInfo.endCursor ?? null;
      };
      const cursor = await ask(10, null);
      for (const size of LONG_PAGES) {
        await ask(size, null);
        await ask(size, cursor);
      }
    }
  }
}

interface Listed {
  readonly pageInfo: { readonly endCursor: string | null };
}

/** Sends a request, and says what came of it. */
export async function send(world: World, request: Request): Promise<Outcome> {
  const { service } = world;
  const from = service.calls.length;
  const answer = await (request.way === 'execute'
    ? execute(world, request)
    : post(world, request));
  const own = service.calls
    .slice(from)
    .filter((_, index) => service.headers[from + index]?.['x-request-id'] === request.id)
    .map(({ line, form }) => ({
      isRead: line.startsWith('GET '),
      text: `${line} ${form}`,
    }));
  return {
    answer,
    reads: own.flatMap(({ isRead, text }) => (isRead ? [text] : [])).toSorted(),
    writes: own.flatMap(({ isRead, text }) => (isRead ? [] : [text])),
  };
}

async function execute({ gateway }: World, request: Request): Promise<string> {
  const { id, token, query, operationName, variables } = request;
  return JSON.stringify(
    await gateway.execute({ requestId: id, token, query, operationName, variables }),
  );
}

async function post({ gateway }: World, request: Request): Promise<string> {
  const { id, token, query, operationName, variables, way, isRegistered } = request;
  const extensions = way === 'hash' ? named(sha256(query)) : undefined;
  const body = {
    query: isRegistered ? undefined : query,
    operationName,
    variables,
    extensions,
  };
  const response = await sendPost(gateway.url, body, {
    // Compression would take a tenth of the test's time.
    'accept-encoding': 'identity',
    'x-request-id': id,
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  });
  const type = response.headers.get('content-type');
  return `${response.status} ${type}\n${await response.text()}`;
}
