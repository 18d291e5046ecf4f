import type { FormattedExecutionResult } from 'graphql';
import type { Logger } from 'pino';
import { IS_OVER } from '../callers/abort.ts';
import { turnOf } from '../callers/thread.ts';
import { Lifetime, type OperationTime } from '../callers/time-limit.ts';
import type { End, EndReason } from '../live/subscriber.ts';
import { createRedactor } from '../rest/redact.ts';
import { type ObserverOptions, observeEvents } from '../telemetry/observer.ts';
import type { OperationContext } from './context.ts';
import { toClientError } from './errors.ts';
import type { Pipeline } from './pipeline.ts';
import { toName } from './report.ts';
import type {
  BegunSubscription,
  HttpParams,
  OperationRequest,
  ResultStream,
} from './request.ts';
import type { Answered } from './respond.ts';

export interface StreamOptions {
  /** The context of an operation, or of one event of a subscription. */
  readonly createContext: (
    request: OperationRequest,
    observers: ObserverOptions,
  ) => OperationContext;
  readonly observers: ObserverOptions;
  /** The time of one event. */
  readonly time: OperationTime;
  readonly log: Logger;
}

/**
 * Makes the results of a subscription that has begun: each change passes the stages of an operation, with a context, a
 * budget and a deadline of its own.
 */
export const createStreamOf =
  (pipeline: Pipeline, { createContext, observers, time, log }: StreamOptions) =>
  (
    { request: planned, subscriber, locate }: BegunSubscription,
    given: OperationRequest,
  ): ResultStream => {
    const { operation } = planned.plan;
    // A long body would be retained until the subscription ends.
    const request = { ...given, params: NO_PARAMS };
    const began = performance.now();
    const tally = { events: 0, restCalls: 0 };
    const ofEvents = observeEvents(observers, tally);
    /** The last event, which may still be executed. */
    let running: Lifetime | null = null;
    let eventId: string | null = null;

    /** The result of one event, in a context of its own. */
    async function toResult(
      answer: (context: OperationContext) => Answered | Promise<Answered>,
    ): Promise<FormattedExecutionResult> {
      const lifetime = new Lifetime(time);
      running = lifetime;
      // A caller keeps its share, and the service may have accepted its token, or refused it, since the last event.
      const caller = request.caller.renewed();
      const event = { ...request, caller, lifetime };
      const context = createContext(event, ofEvents);
      context.observer.start();
      try {
        const { result } = await answer(context);
        return result;
      } finally {
        lifetime.stopDeadline();
        context.meter.close();
        lifetime.abort(IS_OVER);
      }
    }

    const executeEvent = (event: unknown) =>
      toResult(async (context) => {
        await turnOf(context.caller);
        return pipeline.run(planned, context, event);
      });

    /** The last result: the error that ended the subscription. */
    const tellEnd = (error: unknown) =>
      toResult((context) =>
        pipeline.answer(
          { errors: [locate(error)] },
          { operation, extensions: planned.extensions },
          context,
        ),
      );

    function logEnd({ reason, error }: End): void {
      const name = toName(operation.name?.value ?? null, createRedactor(request.secret));
      const entry = {
        requestId: request.id,
        operation: name,
        ...tally,
        durationMs: Math.round(performance.now() - began),
        reason,
        codes: error === null ? [] : [toClientError(locate(error)).extensions?.code],
      };
      log.info(entry, 'subscription');
    }

    function end(reason: EndReason): void {
      subscriber.end({ reason, error: null });
      running?.abort(IS_OVER);
    }
    subscriber.onEnd(logEnd);
    return {
      async next() {
        try {
          const { done, value } = await subscriber.next();
          if (done === true) return { done, value: undefined };
          const result = await executeEvent(value);
          eventId = toEventId(value.resumePoint?.made ?? null);
          return { done: false, value: result };
        } catch (error) {
          eventId = null;
          return { done: false, value: await tellEnd(error) };
        }
      },
      async return() {
        end('left');
        return { done: true, value: undefined };
      },
      end,
      get eventId() {
        return eventId;
      },
      onOverrun(close) {
        subscriber.onEnd(({ reason }) => {
          if (reason === 'overrun') close();
        });
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  };

/** A client sends it back as a header. A longer one is empty: then the client has none, not even an older one. Unit: characters. */
const MAX_EVENT_ID = 8192;

const toEventId = (token: string | null): string | null =>
  token !== null && token.length > MAX_EVENT_ID ? '' : token;

const NO_PARAMS: HttpParams = { method: 'POST', search: '', body: null };
