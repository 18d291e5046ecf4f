import { useApolloClient, useQuery } from '@apollo/client/react';
import type { DocumentNode } from 'graphql';
import { Ellipsis, Paperclip, Pencil, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { Composer } from './composer.tsx';
import { ADD_REACTION, DELETE, EDIT, REMOVE_REACTION, VIEWER } from './documents.ts';
import { toTime } from './format.ts';
import type { BubbleFragment } from './gql/graphql.ts';
import { Avatar } from './parts.tsx';
import { report } from './problems.ts';
import { useSession } from './session.ts';

interface MessageProps {
  readonly message: BubbleFragment;
  readonly isSending: boolean;
  /** Of those that stand together. */
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

export function MessageItem({ message, isSending, isFirst, isLast }: MessageProps) {
  const { username } = useSession();
  const { data } = useQuery(VIEWER, { fetchPolicy: 'cache-only' });
  const [isEditing, setIsEditing] = useState(false);
  const { react, edit, remove } = useActions(message, username);
  const { contact, attachments } = message;
  const isMine = message.isMine ?? contact.id === data?.viewer?.id;
  const states = { message: true, mine: isMine, first: isFirst, last: isLast, sending: isSending };
  const classes = Object.entries(states).flatMap(([name, is]) => (is ? name : []));
  const time = isSending ? 'Sending …' : isLast && toTime(message.createdAtIso);
  const foot = [time, isLast && isMine && message.readAtIso && 'read'];
  const save = (text: string) => {
    setIsEditing(false);
    edit(text);
  };

  return (
    <li className={classes.join(' ')}>
      {isFirst && !isMine && <span className="author">{contact.username}</span>}
      {isLast && !isMine && <Avatar name={contact.username} />}
      {isEditing ? (
        <Composer text={message.message} onSend={save} onCancel={() => setIsEditing(false)} />
      ) : (
        <div className="bubble">
          {message.message}
          {attachments.length > 0 && (
            <small>
              <Paperclip size={14} /> {attachments.map(toName).join(', ')}
            </small>
          )}
        </div>
      )}
      <span className="reactions">
        {message.reactions.map(({ name, count, usernames }) => {
          const props = { title: usernames.join(', '), 'aria-pressed': usernames.includes(username) };
          return (
            <button key={name} type="button" {...props} onClick={() => react(name)}>
              {name} {count > 1 && count}
            </button>
          );
        })}
      </span>
      {!isSending && <Menu {...{ isMine, react, remove }} onEdit={() => setIsEditing(true)} />}
      <span className="foot">{foot.filter(Boolean).join(' · ')}</span>
    </li>
  );
}

function useActions({ id, message, reactions }: BubbleFragment, username: string) {
  const client = useApolloClient();
  return {
    /** Adds your reaction, or takes it back. */
    react(name: string) {
      const isThere = reactions.some((one) => one.name === name && one.usernames.includes(username));
      const mutation: DocumentNode = isThere ? REMOVE_REACTION : ADD_REACTION;
      void report(client.mutate({ mutation, variables: { id, name } }));
    },
    edit(text: string) {
      if (text !== message) void report(client.mutate({ mutation: EDIT, variables: { id, message: text } }));
    },
    async remove() {
      const done = client.mutate({ mutation: DELETE, variables: { id } });
      await report(done);
      if ((await done).data?.deleteMessage) client.cache.evict({ id: `Message:${id}` });
    },
  };
}

type MenuProps = Pick<ReturnType<typeof useActions>, 'react' | 'remove'> & { isMine: boolean; onEdit(): void };

/** The browser opens and closes it, also by Escape. */
function Menu({ isMine, react, remove, onEdit }: MenuProps) {
  const id = useId();
  const close = { type: 'button', popoverTarget: id, popoverTargetAction: 'hide' } as const;
  return (
    <>
      <button type="button" className="icon dots" popoverTarget={id} title="React, edit, delete">
        <Ellipsis size={18} />
      </button>
      <div id={id} popover="auto" className="menu">
        {['❤️', '👍', '😂', '🎉', '🙏'].map((name) => (
          <button key={name} {...close} title={`React with ${name}`} onClick={() => react(name)}>
            {name}
          </button>
        ))}
        <div hidden={!isMine}>
          <button {...close} onClick={onEdit}>
            <Pencil size={16} /> Edit
          </button>
          <button {...close} className="danger" onClick={remove}>
            <Trash2 size={16} /> Delete for everyone
          </button>
        </div>
      </div>
    </>
  );
}

/** The interface does not say which fields an attachment has. */
function toName(attachment: unknown): string {
  const { caption, name, type } = Object(attachment);
  return String(caption ?? name ?? type ?? 'attachment');
}
