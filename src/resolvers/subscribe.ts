import type { GraphQLResolveInfo } from 'graphql';
import type { Subscriber } from '../live/subscriber.ts';
import type { WatchedList } from '../live/watched-list.ts';
import type { GatewayContext } from './context.ts';
import { selects } from './selects.ts';

const selectsResumeToken = selects('resumeToken');

/** Subscribes to the changes of a list. `Last-Event-ID` is newer than `resumeFrom`, which a client repeats as it first sent it. */
export const subscribe = <T>(
  source: WatchedList<T>,
  { resumeFrom }: { readonly resumeFrom?: string | null },
  context: GatewayContext,
  info: GraphQLResolveInfo,
): Promise<Subscriber<T>> =>
  context.live.subscribe(source, context, {
    from: context.lastEventId ?? resumeFrom,
    isResumable: selectsResumeToken(info),
  });
