import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startScripted } from '../support/gateway.ts';
import { wireContact, wireConversation, wireMessage, wirePage } from '../support/wire.ts';
import { runParameters, timeoutFor } from './runs.ts';

/** How many random services. */
const SERVICES = 100;
/** The times of messages and of the last opening lie below it. */
const TIMES = 30;

const user = fc.nat({ max: 3 });
const conversation = fc.record({
  isGroup: fc.boolean(),
  members: fc.uniqueArray(user, { minLength: 2, maxLength: 4 }),
  opened: fc.option(fc.nat({ max: TIMES })),
  /** By whom each message is, and who reacted to it. */
  talk: fc.array(fc.record({ by: user, reacting: fc.uniqueArray(user) }), {
    maxLength: 8,
  }),
});
const step = fc.record({
  who: user,
  what: fc.constantFrom('inbox', 'beside', 'viewer', 'message', 'send', 'rename'),
  at: fc.nat({ max: 20 }),
});
const service = fc.record({
  conversations: fc.array(conversation, { minLength: 1, maxLength: 5 }),
  newestFirst: fc.boolean(),
  steps: fc.array(step, { minLength: 3, maxLength: 14 }),
});

type Service = typeof service extends fc.Arbitrary<infer T> ? T : never;

/** A service of four users, whose usernames they may swap. All see the same ids. */
function createService({ conversations, newestFirst }: Service) {
  const usernames = ['ann', 'bob', 'carl', 'dora'];
  const contactOf = (index: number) =>
    wireContact({ id: `u${index}`, username: usernames[index] });
  const talks = conversations.map(({ isGroup, members, talk, opened }, index) => {
    const people = isGroup ? members : members.slice(0, 2);
    const messages = talk.map(({ by, reacting }, place) => ({
      id: `m${index}-${place}`,
      by: people[by % people.length] ?? 0,
      reacting,
      at: 2 * place + 1,
    }));
    return { id: `c${index}`, isGroup, people, opened, messages };
  });
  type Talk = (typeof talks)[number];
  const toMessage = ({ id }: Talk, { by, reacting, ...one }: Talk['messages'][number]) =>
    wireMessage(one.id, {
      conversation_id: id,
      contact: contactOf(by),
      reactions: [{ heart: reacting.map((each) => usernames[each]) }],
      created_at: 1700000000 + one.at,
    });
  const toConversation = ({ id, isGroup, people, opened }: Talk, caller: number) =>
    wireConversation(id, {
      contact_id: isGroup ? null : `u${people.find((one) => one !== caller)}`,
      group_id: isGroup ? `g-${id}` : null,
      last_opened_at: opened === null ? null : 1700000000 + opened,
    });
  const inOrder = <T>(items: T[]): T[] => (newestFirst ? items.toReversed() : items);

  function answer(line: string, form: string, caller: number): unknown {
    const own = talks.filter(({ people }) => people.includes(caller));
    const [, resource = '', id, query = ''] =
      /\/v1\/(\w+)(?:\/([\w-]+))?(?:\?(.*))?$/.exec(line) ?? [];
    const filter = new URLSearchParams(query).get('conversation_id');
    if (line.startsWith('POST')) {
      const talk = own.find(
        (one) => one.id === new URLSearchParams(form).get('conversation_id'),
      );
      if (talk === undefined) return undefined;
      const at = 2 * talk.messages.length + 1;
      const sent = {
        id: `${talk.id.replace('c', 'm')}-${at}`,
        by: caller,
        reacting: [],
        at,
      };
      talk.messages.push(sent);
      return toMessage(talk, sent);
    }
    if (resource === 'conversations') {
      const all = own.map((talk) => toConversation(talk, caller));
      return id === undefined ? wirePage(all) : all.find((one) => one.id === id);
    }
    const all = own.flatMap((talk) =>
      filter === null || filter === talk.id
        ? inOrder(talk.messages.map((one) => toMessage(talk, one)))
        : [],
    );
    return id === undefined ? wirePage(all) : all.find((one) => one.id === id);
  }
  const swap = (one: number, other: number) => {
    [usernames[one], usernames[other]] = [usernames[other] ?? '', usernames[one] ?? ''];
  };
  return { talks, usernames, answer, swap };
}

const MESSAGE = 'id isMine reactions { isMine }';
const INBOX = `conversations { nodes {
  id contact { id username } unreadCount latestMessage { id } messages { nodes { ${MESSAGE} } }
} }`;

let shown = 0;
let nulls = 0;

/** What is derived must be as in the service, or null. */
function check(actual: unknown, expected: unknown): void {
  if (actual === null) nulls += 1;
  else {
    shown += 1;
    expect(actual).toEqual(expected);
  }
}

test(
  'what is derived of the caller is right or null, over random services with several tokens and names that move',
  async () => {
    // One gateway for all of them: the tokens of each are new, its ids are not.
    let current = createService({ conversations: [], newestFirst: true, steps: [] });
    let services = 0;
    await using gateway = await startScripted(({ line, form, token }) => {
      const body = current.answer(line, form, Number(token?.at(-1)));
      return body === undefined ? { status: 404 } : { body };
    });
    await fc.assert(
      fc.asyncProperty(service, async (made) => {
        current = createService(made);
        services += 1;
        const { talks, usernames, swap } = current;
        for (const { who, what, at } of made.steps) {
          const token = `token-${services}-${who}`;
          const ask = (query: string) => gateway.ask(query, { token });
          const own = talks.filter(({ people }) => people.includes(who));
          const talk = own[at % Math.max(1, own.length)];
          const checkMessage = (seen: Seen) => {
            const message = talks
              .flatMap(({ messages }) => messages)
              .find(({ id }) => id === seen.id);
            check(seen.isMine, message?.by === who);
            check(seen.reactions[0]?.isMine ?? null, message?.reacting.includes(who));
          };
          if (what === 'rename') swap(who, at % 4);
          if (what === 'viewer') {
            const { data, errors } = await ask('{ viewer { id username } }');
            expect(errors).toBeUndefined();
            check(data.viewer, { id: `u${who}`, username: usernames[who] });
          }
          if (what === 'send' && talk !== undefined) {
            const { data } = await ask(
              `mutation { sendMessage(input: { conversationId: "${talk.id}", message: "x" }) { message { ${MESSAGE} } } }`,
            );
            expect(data.sendMessage.message.isMine).toBe(true);
          }
          const message = talk?.messages[at % Math.max(1, talk.messages.length)];
          if (what === 'message' && message !== undefined) {
            const { data } = await ask(`{ message(id: "${message.id}") { ${MESSAGE} } }`);
            checkMessage(data.message);
          }
          if (what !== 'inbox' && what !== 'beside') continue;
          const viewer = what === 'beside' ? 'viewer { id }' : '';
          const { data, errors } = await ask(`{ ${viewer} ${INBOX} }`);
          expect(errors).toBeUndefined();
          // Beside the caller, nothing is unknown.
          if (data.viewer)
            expect(JSON.stringify(data)).not.toMatch(/"(isMine|unreadCount)":null/);
          expect(data.conversations.nodes).toHaveLength(own.length);
          for (const node of data.conversations.nodes) {
            const { isGroup, people, opened, messages } = own.find(
              ({ id }) => id === node.id,
            ) as (typeof own)[number];
            const other = people.find((one) => one !== who) ?? 0;
            const wrote = !isGroup && messages.some(({ by }) => by === other);
            const contact = { id: `u${other}`, username: usernames[other] };
            // It is shown whenever it can be.
            expect(node.contact).toEqual(wrote ? contact : null);
            const unread = messages.filter(
              (one) => one.at > (opened ?? -1) && one.by !== who,
            );
            if (!isGroup) expect(node.unreadCount).toBe(unread.length);
            check(node.unreadCount, unread.length);
            node.messages.nodes.forEach(checkMessage);
            const known = node.messages.nodes.map(({ isMine }: Seen) => isMine);
            if (!isGroup) expect(known).not.toContain(null);
          }
        }
      }),
      runParameters(SERVICES),
    );
    expect(shown).toBeGreaterThan(2 * nulls);
  },
  timeoutFor(runParameters(SERVICES).numRuns),
);

interface Seen {
  readonly id: string;
  readonly isMine: boolean | null;
  readonly reactions: readonly { readonly isMine: boolean | null }[];
}
