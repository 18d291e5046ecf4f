import type { AskOptions, GraphqlAnswer } from './gateway.ts';

type Result = Pick<GraphqlAnswer, 'data' | 'errors' | 'extensions'>;

/** Subscribes as a client does that reads events only. */
export async function subscribe(
  url: string,
  query: string,
  { token = 'ann-token', variables, extensions, headers }: AskOptions = {},
) {
  const control = new AbortController();
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ query, variables, extensions }),
    signal: control.signal,
  });
  /** The results so far. */
  const results: Result[] = [];
  /** The ids of the events that have one. */
  const ids: string[] = [];
  let taken = 0;
  let isEnded = false;
  let wake = () => {};

  /** How it ended. `cut`: without the event `complete`. */
  async function read(): Promise<'complete' | 'cut'> {
    let text = '';
    try {
      for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
        text += Buffer.from(part).toString();
        const events = text.split('\n\n');
        text = events.pop() ?? '';
        for (const event of events) {
          if (event.startsWith('event: complete')) return 'complete';
          const [, id, data] =
            /^(?:id: (.*)\n)?event: next\ndata: (.*)$/.exec(event) ?? [];
          if (id !== undefined) ids.push(id);
          if (data !== undefined) results.push(JSON.parse(data));
          else if (event !== ':') throw new Error(`an unknown event: ${event}`);
          wake();
        }
      }
    } catch (error) {
      if (!(error instanceof TypeError) && !control.signal.aborted) throw error;
    }
    return 'cut';
  }
  const ended = read().finally(() => {
    isEnded = true;
    wake();
  });

  return {
    status: response.status,
    headers: response.headers,
    results,
    ids,
    ended,
    /** The next result that was not taken yet; null at the end. */
    async next() {
      while (results.length === taken && !isEnded) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const result = results[taken] ?? null;
      if (result !== null) taken += 1;
      return result;
    },
    async [Symbol.asyncDispose]() {
      control.abort();
      await ended;
    },
  };
}
/** An open subscription over server-sent events. */
export type Subscription = Awaited<ReturnType<typeof subscribe>>;
