import { setTimeout as sleep } from 'node:timers/promises';
import { RestError } from '../rest/errors.ts';
import type { Path, Query } from '../rest/path.ts';
import { createRawClient, type RawClient, type RawClientOptions } from '../rest/raw.ts';
import type { HttpResponse } from '../rest/request.ts';
import { toSeconds } from '../rest/response.ts';
import { retries, sleepUnlessAborted } from '../rest/retry.ts';
import { isSuccess, RATE_LIMITED, UNAUTHORIZED } from '../rest/status.ts';
import { ProbeError, Stopped } from './errors.ts';

export interface JsonResponse extends HttpResponse {
  readonly route: string;
  /** Undefined if the body is not JSON. */
  readonly json: unknown;
}

interface ReadRequest {
  /** Why the probe sends it, for the user who watches the progress. */
  readonly purpose: string;
  readonly path: Path;
  readonly query?: Query;
}

interface SessionOptions {
  /** The service, and the user's token. */
  readonly target: RawClientOptions;
  readonly maxCalls: number;
  /** Receives one line before each call. */
  readonly onProgress: (line: string) => void;
}

/** The calls of one probe or check: their budget, their pace, and every response so far. */
export interface Session extends SessionOptions {
  readonly client: RawClient;
  readonly pace: Pace;
  /** Includes the responses with status 429. */
  readonly responses: JsonResponse[];
  /** Calls sent. */
  calls: number;
  /** Requests in a row that got no response. */
  failures: number;
  /** Why the latest failed request got no response. */
  lastError: RestError | null;
}

/** A failed read is repeated once, because the finding may depend on it. */
const RETRIES = 1;
/** After this many failed requests in a row, the probe expects no more responses. */
const MAX_FAILURES = 3;
/** A probe ends by its own bounds alone. */
const NEVER = new AbortController().signal;

export const createSession = (options: SessionOptions): Session => ({
  ...options,
  client: createRawClient(options.target),
  pace: createPace(),
  responses: [],
  calls: 0,
  failures: 0,
  lastError: null,
});

/** Sends one GET as `ask` does; throws ProbeError if the service rejects the user's token, or Stopped if it no longer accepts it. */
export async function read(
  session: Session,
  request: ReadRequest,
): Promise<JsonResponse | null> {
  const response = await ask(session, request);
  if (response?.status === UNAUTHORIZED) throw rejectedToken(session.responses);
  return response;
}

/** Sends one GET to another address, or with another token. */
export async function askElsewhere(
  session: Session,
  target: RawClientOptions,
  request: ReadRequest,
): Promise<JsonResponse | null> {
  const client = createRawClient(target);
  try {
    return await ask(session, request, client);
  } finally {
    await client.close();
  }
}

/**
 * Sends one GET; null if there is no response, or one too long to read. Waits and repeats the call after a 429.
 * Throws Stopped when the probe must end.
 */
export async function ask(
  session: Session,
  request: ReadRequest,
  client = session.client,
): Promise<JsonResponse | null> {
  const call = { method: 'GET', route: request.path.route } as const;
  try {
    const send = retries({
      count: RETRIES,
      pause: sleepUnlessAborted,
      next(_request, outcome) {
        attempt(session, request, client).then(
          (answer) => outcome.resolve(answer),
          (error) => outcome.reject(error),
        );
      },
    });
    // With deadline 0, a retry never waits for a Retry-After: the probe has a pace of its own.
    await new Promise((resolve, reject) =>
      send({ call, signal: NEVER, deadline: 0 }, { resolve, reject }),
    );
  } catch (error) {
    if (!(error instanceof RestError)) throw error;
    session.lastError = error;
    session.failures += 1;
    if (session.failures === MAX_FAILURES) {
      throw new Stopped('the service no longer answers');
    }
    return null;
  }
  session.failures = 0;
  return session.responses.at(-1) ?? null; // of the last attempt
}

/** Repeats one call until its status is not 429. */
async function attempt(
  session: Session,
  { purpose, path, query }: ReadRequest,
  client: RawClient,
): Promise<JsonResponse> {
  const { pace, maxCalls, onProgress } = session;
  for (;;) {
    if (pace.gapMs > 0) await sleep(pace.gapMs);
    if (session.calls === maxCalls) throw new Stopped(`all ${maxCalls} calls were used`);
    session.calls += 1;
    onProgress(`[${session.calls}/${maxCalls}] ${purpose}`);
    const raw = await client.get(path, query);
    const response = { ...raw, route: path.route, json: parse(raw.text) };
    session.responses.push(response);
    if (response.status !== RATE_LIMITED) {
      pace.accepted();
      return response;
    }
    const waitMs = pace.limited(toSeconds(response.headers['retry-after']));
    onProgress(`the service asks to wait: the next call is in ${waitMs / 1000} s`);
    await sleep(waitMs);
  }
}

const rejectedToken = (responses: readonly JsonResponse[]): Error =>
  responses.some(({ status }) => isSuccess(status))
    ? new Stopped('the service no longer accepts the token (401)')
    : new ProbeError(
        'The service rejected this token (401). Set MESSAGING_TOKEN to a valid one.',
      );

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How fast the probe may send calls. */
interface Pace {
  /** Pause before the next call. Unit: milliseconds. */
  readonly gapMs: number;
  /** The service accepted a call. */
  accepted(): void;
  /** The service answered 429. Returns how long to wait, in milliseconds; throws Stopped if that is too long. */
  limited(retryAfterSeconds: number | null): number;
}

/** Longest single wait. Unit: seconds. */
const MAX_WAIT = 10;
/** The probe stops at this many 429s, because the service needs its capacity for others. */
const MAX_LIMITED = 6;
const MIN_GAP_MS = 100;
const MAX_GAP_MS = 2000;
/** Makes calls a little slower than the accepted ones, because the service may count in another window. */
const MARGIN = 1.2;

/** No pauses until the first 429; after that, slower than the rate the service accepted. */
function createPace(): Pace {
  let gapMs = 0;
  let acceptedCalls = 0;
  let limitedCalls = 0;
  return {
    get gapMs() {
      return gapMs;
    },
    accepted() {
      acceptedCalls += 1;
    },
    limited(retryAfterSeconds) {
      limitedCalls += 1;
      const seconds = retryAfterSeconds ?? 2 ** (limitedCalls - 1);
      if (seconds > MAX_WAIT || limitedCalls === MAX_LIMITED) {
        throw new Stopped(`the service limits calls (429, wait ${seconds} s)`);
      }
      const waitMs = Math.max(MIN_GAP_MS, seconds * 1000);
      const seenGapMs =
        acceptedCalls === 0 ? MIN_GAP_MS : (waitMs / acceptedCalls) * MARGIN;
      gapMs = Math.min(MAX_GAP_MS, Math.max(gapMs, seenGapMs));
      acceptedCalls = 0;
      return waitMs;
    },
  };
}
