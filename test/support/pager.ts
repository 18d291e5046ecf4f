import type { GraphqlAnswer, TestGateway } from './gateway.ts';

/** One page of the conversation c1 as tests look at it. */
export interface TestPage {
  /** Null where an item is malformed. */
  readonly ids: (string | null)[];
  readonly cursors: string[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
  readonly start: string;
  readonly end: string;
  readonly code: string | undefined;
  readonly message: string | undefined;
}

interface Node {
  readonly id: string;
}

/** Asks for one page of c1 with the arguments as written in GraphQL. */
export async function askPage(gateway: TestGateway, args: string): Promise<TestPage> {
  const answer: GraphqlAnswer =
    await gateway.ask(`{ messages(conversationId: "c1" ${args}) {
    edges { cursor node { id } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  } }`);
  const [error] = answer.errors ?? [];
  const { edges = [], pageInfo = {} } = answer.data?.messages ?? {};
  return {
    ids: edges.map(({ node }: { node: Node | null }) => node?.id ?? null),
    cursors: edges.map(({ cursor }: { cursor: string }) => cursor),
    hasNext: pageInfo.hasNextPage,
    hasPrevious: pageInfo.hasPreviousPage,
    start: pageInfo.startCursor,
    end: pageInfo.endCursor,
    code: error?.extensions.code,
    message: error?.message,
  };
}

/** Walks the whole list in one direction; `between` runs between two pages. */
export async function walk(
  gateway: TestGateway,
  { size, backward = false, between = () => {} }: WalkOptions,
): Promise<(string | null)[]> {
  let page = await askPage(gateway, backward ? `last: ${size}` : `first: ${size}`);
  throwError(page);
  let ids = page.ids;
  for (let turn = 0; backward ? page.hasPrevious : page.hasNext; turn += 1) {
    if (turn > 500) throw new Error('the walk does not end');
    between(turn, page);
    page = await askPage(
      gateway,
      backward
        ? `last: ${size}, before: "${page.start}"`
        : `first: ${size}, after: "${page.end}"`,
    );
    throwError(page);
    ids = backward ? [...page.ids, ...ids] : [...ids, ...page.ids];
  }
  return ids;
}

function throwError({ code, message }: TestPage): void {
  if (code !== undefined) throw new Error(`${code}: ${message}`);
}

interface WalkOptions {
  readonly size: number;
  readonly backward?: boolean;
  readonly between?: (turn: number, page: TestPage) => void;
}
