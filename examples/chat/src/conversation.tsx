import { useFragment, useMutation, useQuery, useReactiveVar } from '@apollo/client/react';
import { Archive, ArrowLeft, BellOff, type LucideIcon, Pin, WifiOff } from 'lucide-react';
import { useEffect } from 'react';
import { Composer } from './composer.tsx';
import { CONVERSATION, MESSAGE_CHANGED, MESSAGES, ROW, UPDATE_CONVERSATION } from './documents.ts';
import { toTitle } from './format.ts';
import type { RowFragment } from './gql/graphql.ts';
import { useLive } from './live.ts';
import { MessageList } from './message-list.tsx';
import { Avatar, Problem } from './parts.tsx';
import { report } from './problems.ts';
import { useSession } from './session.ts';

export function ConversationPane({ id }: { id: string }) {
  const { seen, isLost, open } = useSession();
  const conversation = open(id);
  const variables = { id };
  const { data: row, complete } = useFragment({ fragment: ROW, from: { __typename: 'Conversation', id } });
  // If it is in no page of the inbox that was read.
  const alone = useQuery(CONVERSATION, { variables, skip: complete });
  const list = useQuery(MESSAGES, { variables });
  const live = useLive({ query: MESSAGE_CHANGED, variables, ...conversation });
  const opening = `${id} ${row.lastOpenedAt}`;
  const unread = row.unreadCount ?? 0;
  useEffect(() => void seen({ ...seen(), [opening]: unread }), [seen, opening, unread]);

  return (
    <main className={row.groupId ? 'pane group' : 'pane'}>
      {complete ? <Header row={row} /> : <header />}
      {useReactiveVar(isLost) && (
        <p className="problem" role="status">
          <WifiOff size={16} /> No connection. What you write is sent when it is back.
        </p>
      )}
      <Problem error={alone.error ?? list.error ?? live.error} onClick={() => [list.refetch(), live.retry()]} />
      <MessageList
        conversation={conversation}
        messages={list.data?.messages}
        empty={list.loading ? 'Loading …' : 'Nothing here yet. Say hello!'}
        loadOlder={(after) => void report(list.fetchMore({ variables: { after } }))}
      />
      <Composer onSend={(text) => void conversation.send(text)} />
    </main>
  );
}

function Header({ row }: { row: RowFragment }) {
  const { username } = useSession();
  const [update] = useMutation(UPDATE_CONVERSATION);
  const { id, isPinned, isMuted, archivedAtIso } = row;
  const isArchived = archivedAtIso !== null;
  const toggle = (label: string, Icon: LucideIcon, isOn: boolean, change: object) => {
    const onClick = () => void report(update({ variables: { input: { id, ...change } } }));
    return (
      <button type="button" className="icon" title={label} aria-pressed={isOn} onClick={onClick}>
        <Icon size={18} />
      </button>
    );
  };
  return (
    <header>
      <a className="icon back" href={`#/${username}`} aria-label="Back to the inbox">
        <ArrowLeft size={20} />
      </a>
      <Avatar name={toTitle(row)} />
      <h2>
        {toTitle(row)} <small>{row.groupId ? 'Group' : 'Just the two of you'}</small>
      </h2>
      {toggle('Pin', Pin, isPinned, { isPinned: !isPinned })}
      {toggle('Mute', BellOff, isMuted, { isMuted: !isMuted })}
      {toggle('Archive', Archive, isArchived, { archivedAtIso: isArchived ? null : new Date().toISOString() })}
    </header>
  );
}
