import { useQuery, useReactiveVar } from '@apollo/client/react';
import { BellOff, Pin, SunMoon } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { CONVERSATION_CHANGED, INBOX, ROW } from './documents.ts';
import { toMoment, toTitle } from './format.ts';
import type { ConversationChangedSubscription, RowFragment } from './gql/graphql.ts';
import { useLive } from './live.ts';
import { Avatar, More, Problem } from './parts.tsx';
import { report } from './problems.ts';
import { TOKENS, useSession } from './session.ts';

type Change = ConversationChangedSubscription['change'];

/** Pinned ones first, then those that were last active. */
const byPlace = (one: RowFragment, other: RowFragment) =>
  Number(other.isPinned) - Number(one.isPinned) || (other.lastActiveAt ?? 0) - (one.lastActiveAt ?? 0);

const ALL = { query: INBOX, variables: { archived: null } };
const toEdge = (node: RowFragment) => ({ __typename: 'ConversationEdge', cursor: '', node }) as const;

export function Inbox({ selected }: { selected: string }) {
  const { username, client } = useSession();
  const [isArchive, setIsArchive] = useState(false);
  const inbox = useQuery(INBOX, {
    variables: { archived: isArchive || null },
    fetchPolicy: isArchive ? 'cache-and-network' : 'cache-first',
  });
  /** Puts an event into the list. A conversation that is there already shows its new state by itself. */
  function apply({ conversationId, conversation }: Change): boolean {
    if (conversation) client.cache.writeFragment({ fragment: ROW, data: conversation });
    client.cache.updateQuery(ALL, (data) => {
      if (!data?.conversations) return;
      const others = data.conversations.edges.filter(({ node }) => node?.id !== conversationId);
      const isThere = others.length < data.conversations.edges.length;
      if (isThere === Boolean(conversation)) return;
      const edges = conversation ? [toEdge(conversation), ...others] : others;
      return { ...data, conversations: { ...data.conversations, edges } };
    });
    return false;
  }
  async function reread() {
    const { data, error } = await client.query({ ...ALL, fetchPolicy: 'network-only' });
    if (!data?.conversations && error) throw error;
  }
  const live = useLive({ query: CONVERSATION_CHANGED, variables: {}, apply, reread });
  const { edges = [], pageInfo } = inbox.data?.conversations ?? {};
  const loadMore = () => report(inbox.fetchMore({ variables: { after: pageInfo?.endCursor } }));
  const rows = edges
    .flatMap(({ node }) => (node && (node.archivedAtIso !== null) === isArchive ? node : []))
    .sort(byPlace);

  return (
    <nav className="inbox" aria-label="Conversations">
      <header>
        <h1>Chat</h1>
        {Object.keys(TOKENS).map((name) => (
          <a key={name} className="tab" href={`#/${name}`} aria-current={name === username}>
            {name}
          </a>
        ))}
        <label className="icon" title="Light or dark">
          <input id="colours" type="checkbox" aria-label="Light or dark" />
          <SunMoon size={20} />
        </label>
      </header>
      <div className="tabs">
        <button type="button" className="tab" aria-pressed={!isArchive} onClick={() => setIsArchive(false)}>
          Inbox
        </button>
        <button type="button" className="tab" aria-pressed={isArchive} onClick={() => setIsArchive(true)}>
          Archive
        </button>
      </div>
      <Problem error={inbox.error ?? live.error} onClick={() => [inbox.refetch(), live.retry()]} />
      <ul onKeyDown={moveFocus}>
        {rows.map((row) => (
          <Row key={row.id} row={row} isSelected={row.id === selected} />
        ))}
      </ul>
      {pageInfo?.hasNextPage ? (
        <More count={edges.length} onVisible={loadMore} />
      ) : (
        rows.length === 0 && <p className="more">{inbox.loading ? 'Loading …' : 'Nothing here yet.'}</p>
      )}
    </nav>
  );
}

/** The arrows lead from one conversation to the next. */
function moveFocus(event: KeyboardEvent<HTMLUListElement>) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const links = [...event.currentTarget.querySelectorAll('a')];
  links[links.indexOf(document.activeElement as HTMLAnchorElement) + step]?.focus();
}

function Row({ row, isSelected }: { row: RowFragment; isSelected: boolean }) {
  const { username, seen } = useSession();
  const title = toTitle(row);
  const last = row.latestMessage;
  const shown = useReactiveVar(seen)[`${row.id} ${row.lastOpenedAt}`] ?? 0;
  const unread = Math.max(0, (row.unreadCount ?? 0) - shown);
  const sender = last?.contact.username === username ? 'You' : row.groupId && last?.contact.username;
  return (
    <li>
      <a className="row" href={`#/${username}/${encodeURIComponent(row.id)}`} aria-current={isSelected && 'page'}>
        <Avatar name={title} />
        <strong>{title}</strong>
        <time>{last && toMoment(last.createdAtIso)}</time>
        <span className="preview">{last ? (sender ? `${sender}: ` : '') + last.message : 'No messages yet'}</span>
        <span className="marks">
          {row.isPinned && <Pin size={14} aria-label="pinned" />}
          {row.isMuted && <BellOff size={14} aria-label="muted" />}
          {unread > 0 && (
            <b className="badge" title="unread">
              {unread === 20 ? '20+' : unread}
            </b>
          )}
        </span>
      </a>
    </li>
  );
}
