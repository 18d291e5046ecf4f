import { useReactiveVar } from '@apollo/client/react';
import { Fragment } from 'react';
import { toDay } from './format.ts';
import type { BubbleFragment, MessagesQuery } from './gql/graphql.ts';
import { MessageItem } from './message.tsx';
import type { Conversation } from './messages.ts';
import { Action, More } from './parts.tsx';
import { toAdvice } from './problems.ts';

interface MessageListProps {
  readonly conversation: Conversation;
  readonly messages: MessagesQuery['messages'] | undefined;
  readonly empty: string;
  loadOlder(after: string | null): void;
}

/** Messages of one sender stand together unless this much time is between them. Unit: milliseconds. */
const GROUP_MS = 5 * 60_000;

const timeOf = (message: BubbleFragment) => Date.parse(message.createdAtIso ?? '');
const areTogether = (one?: BubbleFragment, other?: BubbleFragment) =>
  !!one && !!other && one.contact.id === other.contact.id && timeOf(other) - timeOf(one) < GROUP_MS;

/** The oldest first. Its style, `column-reverse`, keeps the newest in view when one comes, and the place when older ones do. */
export function MessageList({ conversation, messages, empty, loadOlder }: MessageListProps) {
  const unsent = useReactiveVar(conversation.unsent);
  const { edges = [], pageInfo } = messages ?? {};
  const shown = edges.flatMap(({ node }) => node ?? []).reverse();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section className="scroller" tabIndex={0} aria-label="Messages">
      <ol role="log">
        {shown.length + unsent.length === 0 && <li className="more">{empty}</li>}
        {shown.map((message, index) => {
          const before = shown[index - 1];
          const day = toDay(message.createdAtIso);
          const isNewDay = !before || day !== toDay(before.createdAtIso);
          const isFirst = isNewDay || !areTogether(before, message);
          const isLast = !areTogether(message, shown[index + 1]);
          const isSending = conversation.isWaiting(message.id);
          return (
            <Fragment key={message.id}>
              {isNewDay && <li className="day">{day}</li>}
              <MessageItem {...{ message, isFirst, isLast, isSending }} />
            </Fragment>
          );
        })}
        {unsent.map(({ key, text, error }) => (
          <li key={key} className="message mine first last unsent">
            <p className="bubble">{text}</p>
            <p className="foot" role="alert">
              Not sent. {toAdvice(error)}
              <Action label="Send again" onClick={() => conversation.send(text, key)} />
              <Action label="Discard" onClick={() => conversation.discard(key)} />
            </p>
          </li>
        ))}
      </ol>
      {pageInfo?.hasNextPage && <More count={edges.length} onVisible={() => loadOlder(pageInfo.endCursor)} />}
    </section>
  );
}
