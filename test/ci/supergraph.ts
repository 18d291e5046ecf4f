// security: entity-of-another
import { deepEqual, equal, match } from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildSchema, parse, print, separateOperations } from 'graphql';
import { ask as askAt, type GraphqlAnswer } from '../support/gateway.ts';
import { subscribe } from '../support/subscribe.ts';
import { check } from './check.ts';
import { ROOT, run, startServer } from './processes.ts';

/** Starts the supergraph of docs/composing.md as a reader does, and asks it as its users do, over HTTP. */

const PAGE = 'docs/composing.md';
const ADA = 'ada-sample-token';
const GRACE = 'grace-sample-token';
const LISBON = 'conv_lisbon_trip';

type Answer = Pick<GraphqlAnswer, 'data' | 'errors'>;

async function ask(
  url: string,
  query: string,
  token: string | null = ADA,
  variables: Record<string, unknown> = {},
): Promise<Answer> {
  const { data, errors } = await askAt(url, query, { token, variables });
  return { data, ...(errors !== undefined && { errors }) };
}

const codesOf = ({ errors = [] }: Answer) =>
  errors.map(({ path = [], extensions }) => `${path[0]}: ${extensions?.code}`);

/** The first code block of a page, in a language, that holds a text. */
async function blockOf(path: string, language: string, text: string): Promise<string> {
  const page = await readFile(join(ROOT, path), 'utf8');
  const blocks = page.matchAll(/^```(\w+)\n(.*?)^```$/gms);
  for (const [, name, block = ''] of blocks) {
    if (name === language && block.includes(text)) return block;
  }
  throw new Error(`${path} has no ${language} with "${text}"`);
}

/** The queries of examples/*.graphql that need no variables besides a conversation. */
async function readQueries(): Promise<string[]> {
  const folder = join(ROOT, 'examples');
  const files = (await readdir(folder)).filter((file) => file.endsWith('.graphql'));
  const texts = await Promise.all(
    files.map((file) => readFile(join(folder, file), 'utf8')),
  );
  return texts
    .flatMap((text) => Object.values(separateOperations(parse(text))))
    .map(print)
    .filter((text) => !/^mutation\b|\$(?!conversationId\b)\w+: [\w[\]]+!/.test(text));
}

const folder = await mkdtemp(join(tmpdir(), 'messaging-graphql-composing-'));
try {
  await cp(join(ROOT, 'examples/composing'), folder, {
    recursive: true,
    filter: (path) => basename(path) !== 'node_modules',
  });
  const start = ['start', '--silent'];
  await using gateway = await startServer('npm', start);
  const messaging = gateway.url;
  await run('npm', ['ci'], { cwd: folder });
  const env = { MESSAGING_GRAPHQL: `${messaging}/graphql` };
  await using composed = await startServer('npm', start, { cwd: folder, env });
  match(
    composed.firstLine,
    /^the supergraph listens on http:\/\/127\.0\.0\.1:\d+\/graphql$/,
  );
  const supergraph = composed.url.replace(/\/graphql$/, '');

  await check('the query on the page has the answer on the page', async () => {
    const curl = await blockOf(PAGE, 'sh', 'curl');
    const { query } = JSON.parse(/'(\{"query".*\})'/.exec(curl)?.[1] ?? '') as {
      query: string;
    };
    deepEqual(
      await ask(supergraph, query),
      JSON.parse(await blockOf(PAGE, 'json', 'notes')),
    );
  });

  await check(
    "its answers are the gateway's own, for the queries in examples/",
    async () => {
      const queries = await readQueries();
      equal(queries.length >= 3, true);
      for (const query of queries) {
        const variables = { conversationId: LISBON };
        const own = await ask(messaging, query, ADA, variables);
        equal(own.errors, undefined, query);
        deepEqual(await ask(supergraph, query, ADA, variables), own);
      }
    },
  );

  await check(
    'a query may begin at either subgraph, and go on to the other',
    async () => {
      const query = `{
      conversations(first: 2) { nodes { id group { noteTitle } notes { text conversation { isPinned } } } }
      notes { conversation { id messages(first: 2) { nodes { message contact { team } } } } }
    }`;
      const { data, errors } = await ask(supergraph, query);
      equal(errors, undefined);
      equal(data.conversations.nodes[0].notes[0].conversation.isPinned, false);
      equal(data.conversations.nodes[0].group.noteTitle, 'Lisbon trip');
      equal(typeof data.notes[0].conversation.messages.nodes[1].contact.team, 'string');
    },
  );

  await check('a write of one subgraph shows in what the other adds', async () => {
    const write = `mutation { addNote(conversationId: "${LISBON}", text: "Second.") { conversation { group { id } notes { text } } } }`;
    const { data, errors } = await ask(supergraph, write);
    equal(errors, undefined);
    deepEqual(data.addNote.conversation, {
      group: { id: 'group_lisbon_trip' },
      notes: [{ text: 'Bring the camera.' }, { text: 'Second.' }],
    });
  });

  await check('two callers at once see only what is theirs', async () => {
    const query =
      '{ notes { text } conversations(first: 50) { nodes { id notes { text } } } }';
    const own: Record<string, Answer> = {
      [ADA]: await ask(messaging, '{ conversations(first: 50) { nodes { id } } }', ADA),
      [GRACE]: await ask(
        messaging,
        '{ conversations(first: 50) { nodes { id } } }',
        GRACE,
      ),
    };
    const idsOf = ({ data }: Answer) =>
      data.conversations.nodes.map(({ id }: { id: string }) => id);
    const callers = Array.from({ length: 20 }, (_, index) => (index % 2 ? ADA : GRACE));
    const answers = await Promise.all(
      callers.map((token) => ask(supergraph, query, token)),
    );
    for (const [index, answer] of answers.entries()) {
      const token = callers[index] ?? '';
      equal(answer.errors, undefined);
      deepEqual(idsOf(answer), idsOf(own[token] as Answer));
      equal(answer.data.notes.length, token === ADA ? 2 : 0);
    }
  });

  await check(
    'an entity that cannot be read is null alone, with the code of its error',
    async () => {
      const write = 'mutation { a: addNote(conversationId: "..", text: "a") { id } }';
      await ask(supergraph, write, GRACE);
      const [known] = (await ask(messaging, '{ conversations { nodes { id } } }', GRACE))
        .data.conversations.nodes;
      const second = `mutation { addNote(conversationId: "${known.id}", text: "b") { id } }`;
      await ask(supergraph, second, GRACE);

      const answer = await ask(
        supergraph,
        '{ notes { text conversation { id isMuted } } }',
        GRACE,
      );

      const [bad, good] = answer.data.notes;
      deepEqual(bad, { text: 'a', conversation: null });
      equal(good.conversation.id, known.id);
      deepEqual(codesOf(answer), ['notes: BAD_USER_INPUT']);
    },
  );

  await check('without a token, and above the price, callers see the code', async () => {
    const anonymous = await ask(supergraph, '{ conversations { nodes { id } } }', null);
    deepEqual(codesOf(anonymous), ['conversations: UNAUTHENTICATED']);
    const lists = Array.from(
      { length: 3 },
      (_, index) =>
        `a${index}: conversations(first: 100) { nodes { messages(first: ${index + 1}) { nodes { id } } } }`,
    );
    const costly = await ask(supergraph, `{ ${lists.join(' ')} }`);
    equal(costly.errors?.[0]?.extensions?.code, 'OPERATION_TOO_COSTLY');
  });

  await check('a subscription passes, and its events have fields of both', async () => {
    await using live = await subscribe(
      supergraph,
      'subscription { messageChanged(conversationId: "conv_ada_grace") { kind message { message contact { username team } } } }',
      { token: ADA },
    );
    const send =
      'mutation { sendMessage(input: { conversationId: "conv_ada_grace", message: "Hello" }) { message { id } } }';
    // The supergraph answers before its own subscription has begun, so the first messages may be missed.
    for (let sent = 0; sent < 20 && live.results.length === 0; sent += 1) {
      equal((await ask(supergraph, send, GRACE)).errors, undefined);
      await sleep(250);
    }
    deepEqual(live.results[0]?.data.messageChanged, {
      kind: 'CREATED',
      message: { message: 'Hello', contact: { username: 'grace', team: 'Design' } },
    });
  });

  await check('clients of the supergraph see no fields of federation', async () => {
    const query = '{ __schema { queryType { fields { name } } } }';
    const { data } = await ask(supergraph, query);
    const names = data.__schema.queryType.fields.map(
      ({ name }: { name: string }) => name,
    );
    const schema = buildSchema(await readFile(join(ROOT, 'schema.graphql'), 'utf8'));
    const ours = Object.keys(schema.getQueryType()?.getFields() ?? {});
    const others = ours.filter((name) => name !== 'node' && name !== 'nodes');
    deepEqual(names.toSorted(), [...others, 'notes'].toSorted());
  });
  equal(await composed.terminate(), 0);
  equal(await gateway.terminate(), 0);
} finally {
  await rm(folder, { recursive: true, force: true });
}
