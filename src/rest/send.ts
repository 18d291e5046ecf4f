import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ReportDrift } from './drift.ts';
import { type Call, MissingTokenError, RestError, RestNetworkError } from './errors.ts';
import type { InFlight } from './in-flight.ts';
import { type Begun, type Observe, type OnCall, type Progress, told } from './observe.ts';
import type { Path } from './path.ts';
import { createRedactor } from './redact.ts';
import type { HttpRequest, HttpResponse } from './request.ts';
import { parseJson, toStatusError } from './response.ts';

/** For whom calls are made. */
export interface Caller {
  /** The bearer token, without "Bearer "; null if the request carried none. */
  readonly token: string | null;
  /** Aborted when the caller leaves or the operation's time is up. */
  readonly signal: AbortSignal;
  /** When the operation's time is up, on the clock of `performance.now()`. Unit: milliseconds. */
  readonly deadline: number;
  /** Stands around each exchange made for the caller; of a shared GET, for the first who asked. */
  readonly observe: Observe;
  /** Asked before each call is made, a retry not counted; throws if it may not be. */
  readonly spend: () => void;
  /** Told of each call when it has ended; null if nobody asks. */
  readonly onCall: OnCall | null;
}

/** One call on its way: what is sent, and how far it has come. */
export interface OutgoingRequest extends HttpRequest {
  readonly progress: Progress;
}

/** Query parameters of a GET, in the order they are written. */
export type Query = Readonly<Record<string, string | number | boolean>>;

/** Makes a domain value of what a call answered, or throws a RestDecodeError. */
export type Read<T> = (json: unknown, call: Call, report: ReportDrift) => T;

/** One caller's way to the wire. */
export interface Send {
  get<T>(path: Path, read: Read<T>, query?: Query): Promise<T>;
  /** Sends the form that `encode` makes, which is called only if there is a call to be made, and reads what came back. */
  write<T>(
    method: 'POST' | 'PUT',
    path: Path,
    { encode, read }: { encode: () => string; read: Read<T> },
  ): Promise<T>;
  /** Open point: the body of a delete. Any 2xx is success, whatever it carries. */
  delete(path: Path): Promise<void>;
}

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** What all callers share. */
export interface Transport {
  call(outgoing: OutgoingRequest, caller: Caller): Promise<HttpResponse>;
  readonly inFlight: InFlight;
  readonly onDrift: ReportDrift;
}

/** The calls as one caller makes them, with its token. */
export function createSend(caller: Caller, { call, inFlight, onDrift }: Transport): Send {
  const { token, signal, spend, onCall } = caller;
  const redact = createRedactor(token);
  const report: ReportDrift = (drift) =>
    onDrift({ ...drift, field: redact(drift.field) });

  /** A status that is no success is an error. */
  async function send(
    outgoing: Omit<OutgoingRequest, 'headers'>,
    bearer: string,
  ): Promise<HttpResponse> {
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${bearer}`,
      ...(outgoing.body === null ? {} : { 'content-type': FORM_TYPE }),
    };
    const answer = await call({ ...outgoing, headers }, caller);
    if (answer.status >= 200 && answer.status <= 299) return answer;
    throw toStatusError(outgoing.call, answer, redact);
  }

  /**
   * A write is never shared; once it has ended, no read joins one that began before. One operation may hold hundreds,
   * and a form takes time to encode: others have their turn before each, and the operation may be over after that.
   */
  async function write(
    call: Call,
    path: string,
    encode: () => string | null,
  ): Promise<HttpResponse> {
    if (token === null) throw new MissingTokenError();
    await yieldToEventLoop();
    if (signal.aborted) throw notSent(call, signal);
    const body = encode();
    spend();
    const progress = notBegun();
    try {
      const answer = send({ call, path, body, signal, progress }, token);
      return await told({ call, path, answer, progress, isShared: false }, onCall);
    } finally {
      inFlight.forget(token);
    }
  }

  return {
    async get({ text, route }, read, query = {}) {
      if (token === null) throw new MissingTokenError();
      const call: Call = { method: 'GET', route };
      const path = text + encodeQuery(query);
      const start = (stop: AbortSignal): Begun<unknown> => {
        const progress = notBegun();
        const answer = send({ call, path, body: null, signal: stop, progress }, token);
        return { progress, answer: answer.then((whole) => parseJson(call, whole)) };
      };
      try {
        signal.throwIfAborted();
        spend();
        const begun = inFlight.read({ token, url: path, signal }, start);
        const json = await told({ call, path, ...begun }, onCall);
        return read(json, call, report);
      } catch (error) {
        if (error instanceof RestError || !signal.aborted) throw error;
        throw new RestNetworkError(call, {
          kind: 'timeout',
          mayHaveLeft: true,
          cause: error,
        });
      }
    },
    async write(method, { text, route }, { encode, read }) {
      const call: Call = { method, route };
      return read(parseJson(call, await write(call, text, encode)), call, report);
    },
    async delete({ text, route }) {
      await write({ method: 'DELETE', route }, text, () => null);
    },
  };
}

/** The error for a call that was not made because nobody waits for it any more. */
const notSent = (call: Call, { reason }: AbortSignal) =>
  new RestNetworkError(call, { kind: 'timeout', mayHaveLeft: false, cause: reason });

const notBegun = (): Progress => ({ attempts: 0, status: null, bytes: 0 });

/** `?a=1&b=2`, or nothing. */
export function encodeQuery(query: Query): string {
  const pairs = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
