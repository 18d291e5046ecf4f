import { setTimeout as sleep } from 'node:timers/promises';
import { RestError } from '../rest/errors.ts';
import type { Path } from '../rest/path.ts';
import type { RawAnswer, RawClient } from '../rest/raw.ts';
import { retries } from '../rest/retry.ts';
import type { Query } from '../rest/send.ts';
import { ProbeError, Stopped } from './errors.ts';
import { createPace } from './pace.ts';

/** One answer, as the probe remembers it. */
export interface Note extends RawAnswer {
  readonly route: string;
  /** Undefined where the answer was no JSON. */
  readonly json: unknown;
}

export interface Question {
  /** What it is asked for, in words for a person who watches. */
  readonly purpose: string;
  readonly path: Path;
  readonly query?: Query;
  /** Who asks; default: the holder of the token. */
  readonly client?: RawClient;
}

export interface Asker {
  /** Asks one question; null if there was no answer, or one too long to read. Throws Stopped. */
  ask(question: Question): Promise<Note | null>;
  /** Every answer so far, 429 included. */
  readonly notes: readonly Note[];
  /** Requests sent. */
  readonly calls: number;
  /** Why the last question without an answer had none. */
  readonly trouble: RestError | null;
}

export interface AskerOptions {
  readonly client: RawClient;
  readonly maxCalls: number;
  readonly signal: AbortSignal;
  readonly onProgress: (line: string) => void;
}

/** A read that failed in passing is worth one more call: it could be the one that matters. */
const RETRIES = 1;
/** So many questions in a row without an answer mean that none will come. */
const SILENCE = 3;
const UNAUTHENTICATED = 401;
const TOO_MANY_REQUESTS = 429;

/** Asks one question at a time, never more than `maxCalls` times, and waits when the service says so. */
export function createAsker(options: AskerOptions): Asker {
  const { maxCalls, signal, onProgress } = options;
  const notes: Note[] = [];
  const pace = createPace();
  let calls = 0;
  let trouble: RestError | null = null;
  let silent = 0;

  async function attempt(question: Question): Promise<Note> {
    const { purpose, path, query, client = options.client } = question;
    for (;;) {
      if (pace.gapMs > 0) await rest(pace.gapMs, signal);
      if (calls === maxCalls) throw new Stopped(`all ${maxCalls} calls were used`);
      calls += 1;
      onProgress(`[${calls}/${maxCalls}] ${purpose}`);
      const answer = await client.get(path, query);
      const note = { ...answer, route: path.route, json: parse(answer.text) };
      notes.push(note);
      if (answer.status !== TOO_MANY_REQUESTS) {
        pace.passed();
        return note;
      }
      const waitMs = pace.held(answer.retryAfterSeconds);
      onProgress(`the service asks to wait: going on in ${waitMs / 1000} s`);
      await rest(waitMs, signal);
    }
  }

  return {
    async ask(question) {
      const call = { method: 'GET', route: question.path.route } as const;
      try {
        // No deadline to wait for: after a 429 the probe keeps its own pace.
        const ask = retries(RETRIES)(() => attempt(question));
        await ask({ call, signal, deadline: 0 });
        silent = 0;
        const note = notes.at(-1) ?? null; // what the last attempt brought
        if (note !== null && question.client === undefined) checkToken(note, notes);
        return note;
      } catch (error) {
        if (!(error instanceof RestError)) throw error;
        if (signal.aborted) throw new Stopped('it was told to stop');
        trouble = error;
        silent += 1;
        if (silent === SILENCE) throw new Stopped('the service answers no longer');
        return null;
      }
    },
    notes,
    get calls() {
      return calls;
    },
    get trouble() {
      return trouble;
    },
  };
}

function checkToken(note: Note, notes: readonly Note[]): void {
  if (note.status !== UNAUTHENTICATED) return;
  if (notes.some(isSuccess)) throw new Stopped('the token is taken no longer (401)');
  throw new ProbeError(
    'The service does not take this token (401): set MESSAGING_TOKEN to a valid one.',
  );
}

export const isSuccess = ({ status }: Note): boolean => status >= 200 && status <= 299;

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    throw new Stopped('it was told to stop');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
