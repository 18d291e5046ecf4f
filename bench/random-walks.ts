/**
 * Walks through a list of services that answer the open points at random: with no setting but the address, and with the
 * service's own paging style set by hand. `npm run walks` prints the table; the services are the same at every run.
 */
import type { Answers } from '../src/embedded/answers.ts';
import { createRandom, type Random } from '../src/embedded/sample/random.ts';
import { startEmbeddedService } from '../src/embedded/service.ts';
import { startTestGateway } from '../test/support/gateway.ts';
import { startUpstream } from '../test/support/upstream.ts';

interface RandomService {
  readonly answers: Partial<Answers>;
  /** Whether it ignores parameters that it does not know; otherwise, it refuses them. */
  readonly isLenient: boolean;
  readonly size: number;
  readonly backward: boolean;
}

interface Walk {
  /** `right`: every message once, in the service's order. */
  readonly result: 'right' | 'out of reach' | 'wrong';
  readonly calls: number;
  readonly items: number;
}

export interface RandomWalk {
  readonly service: RandomService;
  readonly learned: Walk;
  readonly byHand: Walk;
}

const TOKEN = 'ada-sample-token';
/** The longest conversation of the sample data, with 640 messages. */
const CONVERSATION = 'conv_lisbon_trip';
/** A name that nobody can guess. */
const RENAMED = 'von';

function randomService(random: Random): RandomService {
  const paging = random.pick(['none', 'starting_after', 'offset', 'page'] as const);
  const isRenamed = paging !== 'none' && random.chance(1 / 8);
  const isCapped = random.chance(1 / 2);
  return {
    answers: {
      paging,
      pagingParam: isRenamed ? RENAMED : null,
      unknownCursor: random.pick<Answers['unknownCursor']>([400, 404, 'empty', 'first']),
      order: random.pick(['newest', 'oldest', 'id'] as const),
      maxLimit: isCapped ? random.pick([10, 20, 25, 50, 100, 200]) : null,
      aboveMaxLimit: random.pick<Answers['aboveMaxLimit']>(['cap', 400, 422]),
      attachments: random.pick(['nested', 'flat', 'bare'] as const),
      timestampUnit: random.pick(['seconds', 'milliseconds', 'microseconds'] as const),
      readStatus: random.pick([200, 201, 206]),
      errorFormat: random.pick(['json', 'problem', 'text', 'html', 'empty'] as const),
      unknownId: random.pick([404, 410, 400] as const),
    },
    isLenient: random.chance(1 / 2),
    size: random.pick([10, 20, 50, 80, 100]),
    backward: random.chance(1 / 3),
  };
}

/** The settings that name the service's own style. */
function toSettings({ answers }: RandomService): Record<string, string> {
  const { paging = 'none', pagingParam, unknownCursor } = answers;
  return {
    PAGING: paging === 'none' ? 'limit' : paging,
    ...(pagingParam ? { PAGING_PARAM: pagingParam } : {}),
    PAGING_UNKNOWN_ID: unknownCursor === 'first' ? 'first' : 'refused',
  };
}

const readIds = async (url: string, query: string): Promise<string[]> => {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const response = await fetch(`${url}/v1/messages?${query}`, { headers });
  const { data } = (await response.json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
};

/** Walks through the whole list of a new service, with a new gateway. */
async function measure(
  { answers, isLenient, size, backward }: RandomService,
  settings: Record<string, string>,
): Promise<Walk> {
  await using service = await startEmbeddedService({ answers });
  const known = ['conversation_id', 'limit', answers.pagingParam ?? answers.paging];
  if (answers.paging === 'starting_after') known.push('ending_before');
  let items = 0;
  await using upstream = await startUpstream(async ({ line, token = '' }) => {
    const target = new URL(line.slice('GET '.length), service.url);
    for (const name of [...target.searchParams.keys()])
      if (isLenient && !known.includes(name)) target.searchParams.delete(name);
    const response = await fetch(target, { headers: { authorization: token } });
    const body = await response.text();
    if (response.ok) items += (JSON.parse(body) as { data: unknown[] }).data.length;
    return { status: response.status, body };
  });
  await using gateway = await startTestGateway(upstream.url, settings);

  const seen: string[] = [];
  let args = backward ? `last: ${size}` : `first: ${size}`;
  for (;;) {
    const { data, errors } = await gateway.ask(
      `{ messages(conversationId: "${CONVERSATION}", ${args}) {
        nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
      { token: TOKEN },
    );
    const calls = upstream.calls.length;
    if (errors !== undefined) {
      const isHonest = errors[0]?.extensions.code === 'PAGE_OUT_OF_REACH';
      return { result: isHonest ? 'out of reach' : 'wrong', calls, items };
    }
    const { nodes, pageInfo } = data.messages;
    const ids = nodes.map(({ id }: { id: string }) => id);
    seen.splice(backward ? 0 : seen.length, 0, ...ids);
    if (!(backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) break;
    args = backward
      ? `last: ${size}, before: "${pageInfo.startCursor}"`
      : `first: ${size}, after: "${pageInfo.endCursor}"`;
  }
  const { order = 'newest' } = answers;
  const isRight = seen.join() === (await inOrder(order)).join();
  return { result: isRight ? 'right' : 'wrong', calls: upstream.calls.length, items };
}

/** The ids of the list, in a service's order. */
async function inOrder(order: Answers['order']): Promise<string[]> {
  await using service = await startEmbeddedService({ answers: { order } });
  return await readIds(service.url, `conversation_id=${CONVERSATION}&limit=1000`);
}

/** Walks through `count` services; the same seed gives the same ones. */
export async function walkRandomServices(
  count: number,
  seed: number,
): Promise<RandomWalk[]> {
  const random = createRandom(seed);
  const walks: RandomWalk[] = [];
  for (let number = 0; number < count; number += 1) {
    const service = randomService(random);
    const learned = await measure(service, {});
    const byHand = await measure(service, toSettings(service));
    walks.push({ service, learned, byHand });
  }
  return walks;
}

/** Whether the service has a parameter for the next page under its usual name, or none at all: then it can be learned. */
export const isUsual = ({ answers }: RandomService): boolean => !answers.pagingParam;

/** The table as Markdown, and a line with what it shows. */
export function describeRandomWalks(walks: readonly RandomWalk[]): string {
  // A walk that reaches further costs more, and says nothing.
  const alike = walks.filter(
    ({ service, learned, byHand }) =>
      isUsual(service) && learned.result === byHand.result,
  );
  const more = alike.map(({ learned, byHand }) => learned.calls - byHand.calls);
  const count = (result: Walk['result']) =>
    walks.filter(({ learned }) => learned.result === result).length;
  return [
    '| service | walk | no settings | style set by hand |',
    '|---|---|---|---|',
    ...walks.map(
      ({ service, learned, byHand }) =>
        `| ${describeService(service)} | ${service.backward ? 'backward' : 'forward'} by ${service.size} | ${describeWalk(learned)} | ${describeWalk(byHand)} |`,
    ),
    '',
    `${walks.length} services: ${count('right')} right (by hand ${walks.filter(({ byHand }) => byHand.result === 'right').length}), ${count('out of reach')} out of reach, ${count('wrong')} wrong. Where both end alike, at most ${Math.max(...more)} calls more than by hand, on average ${(more.reduce((sum, one) => sum + one, 0) / more.length).toFixed(1)}.`,
  ].join('\n');
}

function describeService({ answers, isLenient }: RandomService): string {
  const { paging, pagingParam, order, maxLimit, aboveMaxLimit, unknownCursor } = answers;
  return [
    pagingParam ? `${paging}, called ${pagingParam}` : paging,
    ...(paging === 'starting_after' ? [`unknown id: ${unknownCursor}`] : []),
    `other parameters ${isLenient ? 'ignored' : 'refused'}`,
    `order: ${order}`,
    ...(maxLimit ? [`\`limit\` above ${maxLimit}: ${aboveMaxLimit}`] : []),
  ].join('; ');
}

const describeWalk = ({ result, calls, items }: Walk): string =>
  `${result}, ${calls} calls, ${items} items`;
