import type { GraphQLResolveInfo } from 'graphql';
import type { Subscriber } from '../live/subscriber.ts';
import type { WatchedList } from '../live/watched-list.ts';
import type { GatewayContext } from './context.ts';
import { selects } from './selects.ts';

const selectsResumeToken = selects('resumeToken');

/** Subscribes to the changes of a list. Without `resumeFrom`, it goes on from the event that `Last-Event-ID` names, if any. */
export const subscribe = <T>(
  source: WatchedList<T>,
  { resumeFrom }: { readonly resumeFrom?: string | null },
  context: GatewayContext,
  info: GraphQLResolveInfo,
): Promise<Subscriber<T>> =>
  context.live.subscribe(source, context, {
    from: resumeFrom ?? context.lastEventId,
    isResumable: selectsResumeToken(info),
  });
