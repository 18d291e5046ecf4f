import type { TypedDocumentNode } from '@apollo/client';
import { useEffect, useEffectEvent, useState } from 'react';
import { keepCurrent } from '../../live-list.ts';
import { useSession } from './session.ts';

interface LiveList<Change, Variables> {
  readonly query: TypedDocumentNode<{ change: Change }, Variables>;
  readonly variables: Variables;
  apply(change: Change): boolean;
  reread(): Promise<unknown>;
}

/** Keeps a list as the service has it while it is shown. Returns why it no longer does, and a way to begin again. */
export function useLive<Change, Variables extends object>({ query, variables, ...list }: LiveList<Change, Variables>) {
  const { client, socket } = useSession();
  const [attempt, setAttempt] = useState(0);
  const [error, setError] = useState<unknown>();
  const apply = useEffectEvent(list.apply);
  const reread = useEffectEvent(list.reread);
  const begin = useEffectEvent(() => {
    setError(undefined);
    const subscribe = (next: (change: Change) => void, fail: (error: unknown) => void) => {
      const events = client.subscribe({ query, variables }).subscribe(({ data, error }) => {
        if (data) next(data.change);
        if (error) fail(error);
      });
      return () => events.unsubscribe();
    };
    return keepCurrent<Change>({
      socket,
      subscribe,
      apply: (one) => apply(one),
      reread: () => reread(),
      fail: setError,
    });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt begins anew
  useEffect(() => begin(), [attempt]);
  return { error, retry: () => setAttempt((count) => count + 1) };
}
