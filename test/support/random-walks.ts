/**
 * Walks through a list of services that answer the open points of paging at random: with no setting but the address, and
 * with the service's own paging style set by hand. `npm run walks` prints what they show; the services are the same at every run.
 */
import { createRandom, type Random } from '../../src/embedded/sample/random.ts';
import { PageOutOfReachError } from '../../src/paging/errors.ts';
import type { ListOptions } from './list.ts';
import { createMemory } from './memory.ts';
import { numbered } from './pager.ts';

interface RandomService {
  readonly paging: 'none' | 'starting_after' | 'offset' | 'page';
  /** Whether its parameter has a name that nobody can guess; otherwise, or without a parameter, the way it pages can be learned. */
  readonly isRenamed: boolean;
  readonly options: ListOptions;
  readonly size: number;
  readonly backward: boolean;
}

interface Walk {
  /** `right`: every message once, in the service's order. */
  readonly result: 'right' | 'out of reach' | 'wrong';
  readonly calls: number;
}

export interface RandomWalk {
  readonly service: RandomService;
  readonly learned: Walk;
  readonly byHand: Walk;
}

const RENAMED = 'von';

function randomService(random: Random): RandomService {
  const paging = random.pick(['none', 'starting_after', 'offset', 'page'] as const);
  const isRenamed = paging !== 'none' && random.chance(1 / 8);
  const isCapped = random.chance(1 / 2);
  const name = isRenamed ? RENAMED : paging;
  const maxLimit = random.pick([10, 20, 25, 50, 100, 200]);
  const refuse = random.pick([null, 400, 422] as const);
  return {
    paging,
    isRenamed,
    options: {
      ...(paging === 'starting_after' && { after: name, before: 'ending_before' }),
      ...((paging === 'offset' || paging === 'page') && { [paging]: name }),
      unknown: random.pick<400 | 404 | 'empty' | 'first'>([400, 404, 'empty', 'first']),
      strict: random.chance(1 / 2),
      ...(isCapped && { maxLimit, ...(refuse && { refuse }) }),
    },
    size: random.pick([10, 20, 50, 80, 100]),
    backward: random.chance(1 / 3),
  };
}

/** The settings that name the service's own style. */
const toSettings = ({ paging, isRenamed, options }: RandomService) => ({
  PAGING: paging === 'none' ? 'limit' : paging,
  ...(isRenamed && { PAGING_PARAM: RENAMED }),
  PAGING_UNKNOWN_ID: options.unknown === 'first' ? 'first' : 'refused',
});

/** Walks through the whole list of a new service, with nothing learned. */
async function measure(
  { options, size, backward }: RandomService,
  settings: Record<string, string>,
): Promise<Walk> {
  const list = numbered(640);
  const { service, walk } = createMemory(list, { service: options, settings });
  const seen = await walk({ size, backward }).catch((error) => {
    if (error instanceof PageOutOfReachError) return null;
    throw error;
  });
  const isRight = seen?.join() === list.join();
  return {
    result: seen === null ? 'out of reach' : isRight ? 'right' : 'wrong',
    calls: service.queries().length,
  };
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

/** What the walks show, in one line. */
export function describeRandomWalks(walks: readonly RandomWalk[]): string {
  // A walk that reaches further costs more, and says nothing.
  const alike = walks.filter(
    ({ service, learned, byHand }) =>
      !service.isRenamed && learned.result === byHand.result,
  );
  const more = alike.map(({ learned, byHand }) => learned.calls - byHand.calls);
  const count = (which: 'learned' | 'byHand', result: Walk['result']) =>
    walks.filter((walk) => walk[which].result === result).length;
  return `${walks.length} services: ${count('learned', 'right')} right (by hand ${count('byHand', 'right')}), ${count('learned', 'out of reach')} out of reach, ${count('learned', 'wrong')} wrong. Where both end alike, at most ${Math.max(...more)} calls more than by hand.`;
}
