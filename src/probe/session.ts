import { setTimeout as sleep } from 'node:timers/promises';
import { RestError } from '../rest/errors.ts';
import { parseJson } from '../rest/json.ts';
import type { Path, Query } from '../rest/path.ts';
import { createRawClient, type RawClient, type RawClientOptions } from '../rest/raw.ts';
import type { HttpResponse } from '../rest/request.ts';
import { toSeconds } from '../rest/response.ts';
import { isRepeatable, pauseAfter } from '../rest/retry.ts';
import { isSuccess, isTransient, RATE_LIMITED, UNAUTHORIZED } from '../rest/status.ts';

/** The address or the token cannot be used; the message says what to change. */
export class ProbeError extends Error {}

/** The session must end early, and what was found until then is reported. The message is the reason, without a period. */
export class Stopped extends Error {}

/** What a request got. Without a response, or with one too long to read, its status is 0, and it has an error. */
export interface Reply extends Omit<HttpResponse, 'bytes'> {
  readonly route: string;
  /** Undefined if the body is not JSON. */
  readonly json: unknown;
  readonly error: RestError | null;
}

interface ProbeRequest {
  /** Why it is sent, for the user who watches the progress. */
  readonly purpose: string;
  readonly path: Path;
  readonly query?: Query;
}

/** The service and the user's token, and the bounds of the calls. */
export interface SessionOptions extends RawClientOptions {
  readonly maxCalls: number;
  /** Removes the token from a text. It may stand anywhere in an answer, so that a part of it is left if the text is cut before. */
  readonly redact: (text: string) => string;
  /** Receives one line before each call. */
  readonly onProgress: (line: string) => void;
}

/** After this many failed requests in a row, no more responses are expected. */
const MAX_FAILURES = 3;
/** Longest single wait. Unit: seconds. */
const MAX_WAIT = 10;
/** The session stops at this many 429s, because the service needs its capacity for others. */
const MAX_LIMITED = 6;
const MIN_GAP_MS = 100;
const MAX_GAP_MS = 2000;
/** Makes calls a little slower than the accepted ones, because the service may count in another window. */
const MARGIN = 1.2;

/** The calls of one probe or check: their budget, their pace, and every response so far. */
export class Session {
  readonly target: SessionOptions;
  /** Includes the responses with status 429. */
  readonly responses: Reply[] = [];
  calls = 0;
  readonly #client: RawClient;
  /** Requests in a row that got no response. */
  #failures = 0;
  /** Pause before the next call: none until the first 429. */
  #gapMs = 0;
  /** Calls accepted since the latest 429. */
  #accepted = 0;
  #limited = 0;

  constructor(target: SessionOptions) {
    this.target = target;
    this.#client = createRawClient(target);
  }

  /** Sends one GET as `ask` does; throws ProbeError if the service rejects the user's token, or Stopped if it no longer accepts it. */
  async read(request: ProbeRequest): Promise<Reply> {
    const answer = await this.ask(request);
    if (answer.status !== UNAUTHORIZED) return answer;
    if (this.responses.some(({ status }) => isSuccess(status))) {
      throw new Stopped('the service no longer accepts the token (401)');
    }
    throw new ProbeError(
      'The service rejected this token (401). Set MESSAGING_TOKEN to a valid one.',
    );
  }

  /** Sends one GET to another address, or with another token. */
  async askElsewhere(target: RawClientOptions, request: ProbeRequest): Promise<Reply> {
    const client = createRawClient(target);
    try {
      return await this.ask(request, client);
    } finally {
      await client.close();
    }
  }

  /**
   * Sends one GET, and repeats it after a 429, and once after a failure, because a finding may depend on it. Throws Stopped
   * when the session must end.
   */
  async ask(
    request: ProbeRequest,
    client = this.#client,
    isRepeated = false,
  ): Promise<Reply> {
    const answer = await this.#attempt(request, client);
    const { status, error } = answer;
    if (!isRepeated && (error === null ? isTransient(status) : isRepeatable(error))) {
      await sleep(pauseAfter(1));
      return this.ask(request, client, true);
    }
    this.#failures = error === null ? 0 : this.#failures + 1;
    if (this.#failures < MAX_FAILURES) return answer;
    throw new Stopped('the service no longer answers');
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  /** Repeats one call until its status is not 429. */
  async #attempt(
    { purpose, path, query }: ProbeRequest,
    client: RawClient,
  ): Promise<Reply> {
    const { maxCalls, onProgress, redact } = this.target;
    const { route } = path;
    for (;;) {
      if (this.#gapMs > 0) await sleep(this.#gapMs);
      if (this.calls === maxCalls) throw new Stopped(`all ${maxCalls} calls were used`);
      this.calls += 1;
      onProgress(`[${this.calls}/${maxCalls}] ${purpose}`);
      const raw = await client.get(path, query).catch(toRestError);
      if (raw instanceof RestError) {
        return { status: 0, headers: {}, text: '', route, json: undefined, error: raw };
      }
      const json = parseJson(raw.text);
      const response = { ...raw, text: redact(raw.text), route, json, error: null };
      this.responses.push(response);
      if (response.status !== RATE_LIMITED) {
        this.#accepted += 1;
        return response;
      }
      const waitMs = this.#slowDown(toSeconds(response.headers['retry-after']));
      onProgress(`the service asks to wait: the next call is in ${waitMs / 1000} s`);
      await sleep(waitMs);
    }
  }

  /** Makes calls slower than the service accepted them until now. Returns how long to wait, in milliseconds. */
  #slowDown(retryAfterSeconds: number | null): number {
    this.#limited += 1;
    const seconds = retryAfterSeconds ?? 2 ** (this.#limited - 1);
    if (seconds > MAX_WAIT || this.#limited === MAX_LIMITED) {
      throw new Stopped(`the service limits calls (429, wait ${seconds} s)`);
    }
    const waitMs = Math.max(MIN_GAP_MS, seconds * 1000);
    const seenGapMs =
      this.#accepted === 0 ? MIN_GAP_MS : (waitMs / this.#accepted) * MARGIN;
    this.#gapMs = Math.min(MAX_GAP_MS, Math.max(this.#gapMs, seenGapMs));
    this.#accepted = 0;
    return waitMs;
  }
}

function toRestError(error: unknown): RestError {
  if (error instanceof RestError) return error;
  throw error;
}
